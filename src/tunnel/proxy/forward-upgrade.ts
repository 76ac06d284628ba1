import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Agent, request as httpsRequest } from 'node:https'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { messageOf } from '../../shared/errors.ts'

export interface Upgrade {
  request: IncomingMessage
  /** The client, and what it has said behind the head of its request. */
  client: Duplex
  head: Buffer
  /** The headers that go on to the server. */
  headers: IncomingHttpHeaders
}

export interface UpgradeTarget {
  server: URL
  /** Opens connections of their own: this one is never used again. */
  agent: Agent
}

/** Errors are short; what is longer is not worth waiting for. */
const MAX_REFUSAL_BYTES = 64 * 1024

/**
 * Carries a request to change the protocol to a server, and both directions when the server does: websockets, and SPDY,
 * which older versions of kubectl speak. (httpxy forwards websockets alone.)
 */
export function forwardUpgrade(
  { client, head, headers, request }: Upgrade,
  { agent, server }: UpgradeTarget,
): void {
  const outgoing = httpsRequest({
    agent,
    host: server.hostname.replaceAll(/^\[|\]$/g, ''),
    port: server.port === '' ? 443 : server.port,
    method: request.method,
    path: server.pathname.replace(/\/$/, '') + (request.url ?? '/'),
    headers: { ...headers, host: server.host },
  })
  client.on('error', () => outgoing.destroy())
  client.once('close', () => outgoing.destroy())
  outgoing.on('error', (error) => refuse(client, 502, messageOf(error)))
  outgoing.on('upgrade', (answer, far, farHead) => {
    client.write(headOf(answer))
    join({ client, far, head, farHead })
  })
  outgoing.on('response', (answer) => void refuseLike(client, answer))
  outgoing.end()
}

/** Answers the client of an upgrade with an error, and ends. */
export function refuse(client: Duplex, status: number, message: string): void {
  const body = statusBody(status, message)
  client.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

/** A `Status` of Kubernetes: clients show its message. */
export function statusBody(code: number, message: string): string {
  return JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    code,
  })
}

function join({
  client,
  far,
  farHead,
  head,
}: {
  client: Duplex
  far: Duplex
  head: Buffer
  farHead: Buffer
}): void {
  for (const socket of [client, far]) {
    if (socket instanceof Socket) {
      socket.setNoDelay(true)
      socket.setTimeout(0)
    }
  }
  far.on('error', () => client.destroy())
  far.once('close', () => client.destroy())
  client.once('close', () => far.destroy())
  client.write(farHead)
  far.write(head)
  far.pipe(client)
  client.pipe(far)
}

function headOf({ httpVersion, rawHeaders, statusCode, statusMessage }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : [],
  )
  return [`HTTP/${httpVersion} ${statusCode} ${statusMessage}`, ...lines, '', ''].join('\r\n')
}

/** The server does not change the protocol: its answer goes to the client as it is. */
async function refuseLike(client: Duplex, answer: IncomingMessage): Promise<void> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes <= MAX_REFUSAL_BYTES) {
        chunks.push(chunk)
      }
    }
  } catch {
    // Cut off: what has come says enough.
  }
  const body = Buffer.concat(chunks)
  const type = answer.headers['content-type'] ?? 'text/plain'
  client.write(
    `HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`,
  )
  client.end(body)
}
