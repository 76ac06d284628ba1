import type { Agent, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { httpRequest } from './node-http.ts'
import { type TlsPeers, tlsOver } from './tls/tls-over.ts'

export interface RequestOver extends TlsPeers {
  method: 'GET' | 'POST'
  path: string
  /** JSON. @default none */
  body?: object
  /** Called when the connection is open; the request is sent completely only after it. */
  before?: () => Promise<void>
  signal: AbortSignal
}

/** The answer, whose body has to be read and ends the stream. @throws {Error} when the stream or the request fails. */
export function requestOver(stream: Duplex, options: RequestOver): Promise<IncomingMessage> {
  return exchangeOver(stream, options, () => tlsOver(stream, options))
}

/** The answer to a request by an agent, which keeps the connection for the next one when its body was read. */
export function requestBy(
  agent: Agent,
  {
    body,
    method,
    path,
    serverName,
    signal,
  }: Omit<RequestOver, keyof TlsPeers | 'before'> & Pick<TlsPeers, 'serverName'>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { host: serverName, ...contentType(body) }
    const request = httpRequest({ agent, method, path, headers, signal }, resolve)
    request.once('error', reject)
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** `requestOver` for a server without TLS. */
export function plainRequestOver(
  stream: Duplex,
  options: Omit<RequestOver, keyof TlsPeers | 'before'>,
): Promise<IncomingMessage> {
  return exchangeOver(stream, { ...options, serverName: 'localhost' }, () => stream)
}

/** A page without TLS; undefined when the server refuses. @throws {Error} when the stream or the request fails. */
export async function getOver(
  stream: Duplex,
  { host, ...options }: { path: string; host: string; signal: AbortSignal },
): Promise<string | undefined> {
  const request = { ...options, method: 'GET', serverName: host } as const
  const answer = await exchangeOver(stream, request, () => stream)
  const page = await text(answer)
  return answer.statusCode === 200 ? page : undefined
}

function exchangeOver(
  stream: Duplex,
  options: Omit<RequestOver, keyof TlsPeers> & Pick<TlsPeers, 'serverName'>,
  createConnection: () => Duplex,
): Promise<IncomingMessage> {
  const { before, body, method, path, serverName, signal } = options
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        method,
        path,
        headers: {
          host: serverName,
          connection: 'close',
          ...contentType(body),
        },
        createConnection,
        signal,
      },
      resolve,
    )
    stream.once('error', reject)
    request.once('error', (error) => {
      stream.destroy()
      reject(error)
    })
    const end = () => request.end(body === undefined ? undefined : JSON.stringify(body))
    if (before === undefined) {
      end()
    } else {
      request.flushHeaders()
      request.once('socket', (socket) => {
        socket.once(
          'secureConnect',
          () => void before().then(end, (error) => request.destroy(error)),
        )
      })
    }
  })
}

function contentType(body: object | undefined): Record<string, string> {
  return body === undefined ? {} : { 'content-type': 'application/json' }
}
