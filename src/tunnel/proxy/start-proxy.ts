import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  ServerResponse,
} from 'node:http'
import { Agent } from 'node:https'
import type { Socket } from 'node:net'
import { createProxyServer } from 'http-proxy'
import type { Access } from '../../control-plane/use-cases/access.ts'
import { hasErrorCode, messageOf, VplaneError } from '../../shared/errors.ts'
import { forwardUpgrade, refuse, statusBody } from './forward-upgrade.ts'
import { createGuard, type Verdict } from './proxy-guard.ts'

export interface ProxyOptions {
  /** The plane, and as whom the proxy speaks there. */
  access: Pick<Access, 'server' | 'certificateAuthority' | 'certificate' | 'key'>
  /** @default one that is free */
  port?: number | undefined
}

/** A way to a plane's API over plain HTTP, for browsers and curl. Disposing it ends all connections. */
export interface PlaneProxy extends AsyncDisposable {
  port: number
  /** What clients show: `Authorization: Bearer …`. */
  token: string
  /** For a browser: the token is in it. */
  url: string
}

const ADDRESS = '127.0.0.1'

/**
 * Starts an HTTP endpoint on 127.0.0.1 in front of a plane's API, for those who know its token. Watches, exec and
 * port-forward pass.
 *
 * kubectl is not among them: it sends no credentials to plain HTTP. It has the tunnel.
 *
 * @throws {VplaneError} `CONFLICT` when another program listens on the port, `FAILED` when it cannot be listened on.
 */
export async function startProxy({ access, port = 0 }: ProxyOptions): Promise<PlaneProxy> {
  const server = new URL(access.server)
  const { certificate: cert, certificateAuthority: ca, key } = access
  const agent = new Agent({ ca, cert, key, keepAlive: true, rejectUnauthorized: true })
  const single = new Agent({ ca, cert, key, rejectUnauthorized: true })
  const token = randomBytes(24).toString('base64url')
  const session = randomBytes(24).toString('base64url')
  const forward = createProxyServer({ target: server, agent, changeOrigin: true, secure: true })
  forward.on('proxyRes', (_incoming, _request, response) => {
    // A watch is answered at once, however long its first event takes.
    setImmediate(() => response.headersSent || response.flushHeaders())
  })
  forward.on('error', (error, _request, response) => {
    if (response instanceof ServerResponse && !response.headersSent) {
      answer(response, 502, `cannot reach the control plane: ${messageOf(error)}`)
    } else {
      response?.destroy()
    }
  })

  const clients = new Set<Socket>()
  const listener = createServer()
  listener.on('connection', (socket: Socket) => {
    clients.add(socket)
    socket.once('close', () => clients.delete(socket))
  })
  await listen(listener, port)
  const bound = portOf(listener)
  const judge = createGuard({ port: bound, token, session })
  listener.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const verdict = judge(request)
    if (verdict.kind === 'pass') {
      request.headers = endToEnd(verdict.headers)
      void forward.web(request, response)
    } else {
      answerVerdict(response, verdict)
    }
  })
  listener.on('upgrade', (request, client, head) => {
    const verdict = judge(request)
    if (verdict.kind === 'pass') {
      const { headers } = verdict
      forwardUpgrade({ request, client, head, headers }, { server, agent: single })
    } else {
      client.on('error', () => {})
      const refusal = verdict.kind === 'refuse' ? verdict : { status: 400, message: 'no upgrade' }
      refuse(client, refusal.status, refusal.message)
    }
  })
  return {
    port: bound,
    token,
    url: `http://${ADDRESS}:${bound}/?token=${token}`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(listener, 'close')
      listener.close()
      clients.forEach((socket) => socket.destroy())
      agent.destroy()
      single.destroy()
      await closed
    },
  }
}

/** Without what is between the client and us: that it closes its connection is no reason to close ours. */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection: _, 'keep-alive': __, 'proxy-connection': ___, ...rest } = headers
  return rest
}

async function listen(listener: Server, port: number): Promise<void> {
  try {
    listener.listen({ host: ADDRESS, port, exclusive: true })
    await once(listener, 'listening')
  } catch (error) {
    const place = `${ADDRESS}:${port}`
    throw hasErrorCode(error, 'EADDRINUSE')
      ? new VplaneError('CONFLICT', `another program listens on ${place}`, { cause: error })
      : new VplaneError('FAILED', `cannot listen on ${place}: ${messageOf(error)}`, {
          cause: error,
        })
  }
}

function portOf(listener: Server): number {
  const address = listener.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function answerVerdict(
  response: ServerResponse,
  verdict: Exclude<Verdict, { kind: 'pass' }>,
): void {
  if (verdict.kind === 'enter') {
    const { cookie, location } = verdict
    const headers = { location, 'set-cookie': cookie, 'referrer-policy': 'no-referrer' }
    response.writeHead(303, headers).end()
  } else {
    answer(response, verdict.status, verdict.message)
  }
}

function answer(response: ServerResponse, status: number, message: string): void {
  const headers = { 'content-type': 'application/json', connection: 'close' }
  response.writeHead(status, headers).end(statusBody(status, message))
}
