import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { waitFor } from '../../../src/shared/wait.ts'
import { clientCertificate, createTestCertificates } from '../test-certificates.ts'

/** A request as a fake API server got it. */
export interface ReceivedRequest {
  method: string
  /** Without the query. */
  path: string
  query: Record<string, string>
  headers: IncomingHttpHeaders
  /** The JSON that was sent. */
  body: unknown
  /** The common name of the client certificate. */
  user: string | undefined
}

/** Answers one request. */
export type Answerer = (request: ReceivedRequest, response: ServerResponse) => void | Promise<void>

/** An HTTPS server on loopback that wants client certificates, answers as a test tells it, and counts. */
export interface FakeApiServer extends AsyncDisposable {
  /** What a client needs to reach it. */
  connection: { server: string; certificateAuthority: string; certificate: string; key: string }
  /** The same for another user. */
  connectionAs(user: string): FakeApiServer['connection']
  requests: ReceivedRequest[]
  /** All connections that were ever made. */
  connections(): number
  /** Resolves when so many connections are open. */
  openConnections(count: number): Promise<void>
  /** Breaks all connections without a word. */
  reset(): void
}

const certificates = createTestCertificates()

/** Takes over a connection that is to speak another protocol. */
export type Upgrader = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

export interface FakeApiServerOptions {
  /** @default websockets are not spoken */
  onUpgrade?: Upgrader
  /** Whether clients without a certificate are turned away. @default true */
  wantsCertificate?: boolean
}

/** Starts one on a free port of loopback. */
export async function startFakeApiServer(
  answer: Answerer,
  options: FakeApiServerOptions = {},
): Promise<FakeApiServer> {
  const { onUpgrade, wantsCertificate = true } = options
  const sockets = new Set<Socket>()
  const requests: ReceivedRequest[] = []
  let connections = 0
  const server = createServer(
    {
      cert: certificates.server.certificate,
      key: certificates.server.key,
      ca: certificates.authority.certificate,
      requestCert: true,
      rejectUnauthorized: wantsCertificate,
      // As much as real ones take.
      maxHeaderSize: 1024 * 1024,
    },
    (incoming, response) => {
      void receive(incoming).then((request) => {
        requests.push(request)
        return answer(request, response)
      })
    },
  )
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  })
  server.on('tlsClientError', () => {})
  if (onUpgrade !== undefined) {
    server.on('upgrade', onUpgrade)
  }
  const port = await listenOnLoopback(server)
  const connection = {
    server: `https://127.0.0.1:${port}`,
    certificateAuthority: certificates.authority.certificate,
    certificate: certificates.client.certificate,
    key: certificates.client.key,
  }
  return {
    connection,
    connectionAs: (user) => ({ ...connection, ...clientCertificate(certificates.authority, user) }),
    requests,
    connections: () => connections,
    openConnections: async (count) => {
      await waitFor(() => Promise.resolve(sockets.size === count), {
        what: `${count} open connections (${sockets.size} are)`,
        timeoutMs: 3000,
        intervalMs: 5,
      })
    },
    reset: () => {
      for (const socket of sockets) {
        socket.resetAndDestroy()
      }
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      for (const socket of sockets) {
        socket.destroy()
      }
      await closed
    },
  }
}

/** Listens on a free port of 127.0.0.1 and tells which. */
export function listenOnLoopback(server: Server): Promise<number> {
  return listenOn('127.0.0.1', server)
}

/** Listens on a free port of an address of this machine and tells which. */
export async function listenOn(host: string, server: Server): Promise<number> {
  await once(server.listen(0, host), 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** Answers with a Kubernetes `Status`, as API servers do for failures. */
export function sendStatus(
  response: ServerResponse,
  code: number,
  { message = `status ${code}`, headers = {} }: { message?: string; headers?: object } = {},
): void {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    message,
  }
  response
    .writeHead(code, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(status))
}

async function receive(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    chunks.push(chunk)
  }
  const url = new URL(incoming.url ?? '/', 'https://fake')
  const text = Buffer.concat(chunks).toString('utf8')
  return {
    method: incoming.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: incoming.headers,
    body: text === '' ? undefined : JSON.parse(text),
    user: userOf(incoming.socket),
  }
}

function userOf(socket: Socket): string | undefined {
  return socket instanceof TLSSocket
    ? socket.getPeerCertificate()?.subject?.CN?.toString()
    : undefined
}
