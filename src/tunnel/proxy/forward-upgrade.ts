import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Agent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { messageOf } from '../../shared/errors.ts'
import { joinSockets } from '../../shared/network/join-sockets.ts'

interface Upgrade {
  request: IncomingMessage
  client: Socket
  /** What the client has sent behind the head of its request. */
  head: Buffer
  /** The headers for the server. */
  headers: IncomingHttpHeaders
}

/** Errors are short: a longer one is truncated. */
const MAX_REFUSAL_BYTES = 64 * 1024

/** How long one side may take to end after the other, in milliseconds. */
const LINGER_MS = 60_000

/**
 * Sends a request to change the protocol to a server, and carries both directions if the server accepts: WebSocket, and
 * SPDY, which older versions of kubectl use. (httpxy forwards only WebSockets.) `agent` must not reuse connections.
 */
export function forwardUpgrade(
  { client, head, headers, request }: Upgrade,
  { agent, server }: { agent: Agent; server: URL },
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
    joinSockets({ socket: client, head }, { socket: far, head: farHead }, { lingerMs: LINGER_MS })
  })
  outgoing.on('response', (answer) => void refuseLike(client, answer))
  outgoing.end()
}

/** Answers the client of an upgrade with an error, and closes its connection. */
export function refuse(client: Duplex, status: number, message: string): void {
  const head = { status: `${status} Refused`, type: 'application/json' }
  endWith(client, head, Buffer.from(statusBody(status, message)))
}

function endWith(
  client: Duplex,
  { status, type }: { status: string; type: string },
  body: Buffer,
): void {
  const head = `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`
  client.end(Buffer.concat([Buffer.from(head), body]))
}

/** A `Status` of Kubernetes, whose message clients show. */
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

function headOf({ httpVersion, rawHeaders, statusCode, statusMessage }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : [],
  )
  return [`HTTP/${httpVersion} ${statusCode} ${statusMessage}`, ...lines, '', ''].join('\r\n')
}

/** Sends the client the answer of a server that does not change the protocol. */
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
    // The answer is incomplete: the part that has arrived explains enough.
  }
  const status = `${answer.statusCode} ${answer.statusMessage}`
  const type = answer.headers['content-type'] ?? 'text/plain'
  endWith(client, { status, type }, Buffer.concat(chunks))
}
