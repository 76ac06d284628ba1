import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  ServerResponse,
} from 'node:http'
import { Socket } from 'node:net'
import { createProxyServer } from 'http-proxy'
import { messageOf } from '../../shared/errors.ts'
import { listen } from '../../shared/network/listen.ts'
import { forwardUpgrade, refuse, statusBody } from './forward-upgrade.ts'
import { createGuard } from './proxy-guard.ts'
import { type ProxyAccess, Upstream } from './upstream.ts'

interface ProxyOptions {
  access: ProxyAccess
  /** Requests another credential when most of the lifetime of this one has passed. @default use it until it expires */
  renew?: () => Promise<ProxyAccess>
  /** @default the clock of this machine */
  now?: () => Date
  /** @default a free port */
  port?: number | undefined
}

/** Access to a plane's API over plain HTTP, for browsers and curl. Disposing it ends all connections. */
export interface PlaneProxy extends AsyncDisposable {
  port: number
  /** What clients send: `Authorization: Bearer …`. */
  token: string
  /** The address for a browser, with the token. */
  url: string
}

const ADDRESS = '127.0.0.1'

/**
 * Starts an HTTP endpoint on 127.0.0.1 in front of a plane's API, for clients that know its token. Watches, exec and
 * port-forward work.
 *
 * kubectl cannot use it, because it sends no credentials over plain HTTP. It uses the tunnel.
 *
 * @throws {VplaneError} `FAILED` when another program listens on the port, or it cannot be listened on.
 */
export async function startProxy({
  access,
  now = () => new Date(),
  port = 0,
  renew = () => Promise.resolve(access),
}: ProxyOptions): Promise<PlaneProxy> {
  const upstream = new Upstream({ access, renew, now })
  const token = randomBytes(24).toString('base64url')
  const session = randomBytes(24).toString('base64url')
  const forward = createProxyServer({ changeOrigin: true, secure: true })
  forward.on('proxyRes', (_incoming, _request, response) => {
    // The client of a watch receives the headers at once, even if the first event comes late.
    setImmediate(() => response.headersSent || response.flushHeaders())
  })
  forward.on('error', (error, _request, response) => fail(error, response))

  const clients = new Set<Socket>()
  const listener = createServer()
  listener.on('connection', (socket: Socket) => {
    clients.add(socket)
    socket.once('close', () => clients.delete(socket))
  })
  const bound = await listen(listener, { address: ADDRESS, port })
  // Browsers resolve all names below localhost to this machine (RFC 6761, section 6.3).
  const browserHost = `vplane-${randomBytes(8).toString('hex')}.localhost:${bound}`
  const judge = createGuard({ port: bound, browserHost, token, session })
  listener.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const verdict = judge(request)
    if (verdict.kind === 'pass') {
      request.headers = endToEnd(verdict.headers)
      upstream
        .current()
        .then(({ agent, server }) => forward.web(request, response, { agent, target: server }))
        .catch((error: unknown) => fail(error, response))
    } else if (verdict.kind === 'enter') {
      const { cookie, location } = verdict
      const headers = {
        location,
        'referrer-policy': 'no-referrer',
        ...(cookie === undefined ? {} : { 'set-cookie': cookie }),
      }
      response.writeHead(303, headers).end()
    } else {
      answer(response, verdict.status, verdict.message)
    }
  })
  listener.on('upgrade', (request, client, head) => {
    const verdict = judge(request)
    client.on('error', () => {})
    if (!(client instanceof Socket)) {
      // Always a socket: the type also covers servers with other streams.
      client.destroy()
    } else if (verdict.kind === 'pass') {
      const { headers } = verdict
      upstream
        .current()
        .then(({ server, single }) =>
          forwardUpgrade({ request, client, head, headers }, { server, agent: single }),
        )
        .catch((error: unknown) => refuse(client, 502, unreachable(error)))
    } else {
      const refusal = verdict.kind === 'refuse' ? verdict : { status: 400, message: 'no upgrade' }
      refuse(client, refusal.status, refusal.message)
    }
  })
  return {
    port: bound,
    token,
    url: `http://${browserHost}/?token=${token}`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(listener, 'close')
      listener.close()
      clients.forEach((socket) => socket.destroy())
      upstream[Symbol.dispose]()
      await closed
    },
  }
}

/** The headers without those of the client's connection: that it closes must not close the connection to the plane. */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection: _, 'keep-alive': __, 'proxy-connection': ___, ...rest } = headers
  return rest
}

/** Answers with the error, or closes the connection if an answer has begun. */
function fail(error: unknown, response: ServerResponse | Socket | undefined): void {
  if (response instanceof ServerResponse && !response.headersSent) {
    answer(response, 502, unreachable(error))
  } else {
    response?.destroy()
  }
}

function unreachable(error: unknown): string {
  return `cannot reach the control plane: ${messageOf(error)}`
}

function answer(response: ServerResponse, status: number, message: string): void {
  const headers = { 'content-type': 'application/json', connection: 'close' }
  response.writeHead(status, headers).end(statusBody(status, message))
}
