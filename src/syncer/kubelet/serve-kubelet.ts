import { once } from 'node:events'
import type { Server } from 'node:https'
import { createServer } from 'node:https'
import { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Peer } from '../../kube/http/peer.ts'
import { hasErrorCode, messageOf, VplaneError } from '../../shared/errors.ts'
import type { VirtualKey } from '../scope/sync-scope.ts'
import type { RenewableServer } from '../tls/serve-renewed.ts'
import { type ServerTls, serverTls } from '../tls/server-tls.ts'
import { judgeRequest } from './requests/judge-request.ts'
import { refuseUpgrade, sendAnswer } from './requests/kubelet-answer.ts'
import type { KubeletPages, PageReaders } from './requests/kubelet-page.ts'
import { basicPages, servePage } from './requests/kubelet-page.ts'
import { isStreaming } from './requests/parse-pod-request.ts'
import type { LocatedPod } from './requests/pod-target.ts'
import { serveLogs } from './streams/serve-logs.ts'
import { serveStream } from './streams/serve-stream.ts'

export interface KubeletOptions {
  /** Name of the virtual node. */
  node: string
  /** Where to listen. */
  address: string
  /** 0 for one that is free. */
  port: number
  tls: ServerTls
  /** The common name of the plane's kube-apiserver when it talks to kubelets. */
  clientName: string
  /** The host pod of a virtual pod of this node. */
  locate(pod: Required<VirtualKey>): LocatedPod | undefined
  /** The host's API server, with the syncer's credential. It outlives the kubelet. */
  host: Peer
  /** What the node serves besides, by path; they come before those that say that there is nothing. @default none */
  pages?: KubeletPages
  /** Who besides may read which of them. @default nobody */
  readers?: PageReaders
  /** How long a client may take to shake hands, and to say what it wants, in milliseconds. @default 10000 */
  requestMs?: number
}

/** The kubelet's port of a virtual node. Disposing it ends all connections. */
export interface KubeletServer extends RenewableServer {
  readonly port: number
}

/** As much as kubelets take: a command with a script in it is long, and only kube-apiserver gets as far as that. */
const MAX_HEADER_BYTES = 1024 * 1024

/** So many may read at a time: they take room before it is known who they are. */
const MAX_STRANGERS = 50

/** Longer than kube-apiserver keeps a connection that it does not use (90 s), so that it is never closed under a request. */
const KEEP_ALIVE_MS = 120_000

/**
 * Serves a kubelet's HTTPS port for a virtual node: logs, exec, attach and port-forward of its pods, which the host does
 * with their host pods. Only who has a certificate of the plane's CA for `clientName` gets in; readers may read what
 * they may read.
 *
 * @throws {VplaneError} `CONFLICT` when another program listens on the port, `FAILED` when it cannot be listened on or
 * the certificates cannot be used.
 */
export async function serveKubelet(options: KubeletOptions): Promise<KubeletServer> {
  const { address, host, node, port, requestMs = 10_000, tls } = options
  const what = `the kubelet of node "${node}"`
  const judging = { ...options, pages: { ...basicPages(node), ...options.pages } }
  const server = createServer({
    ...serverTls(tls, what),
    // Whoever shows none that is trusted is nobody, and gets as far as that.
    requestCert: true,
    rejectUnauthorized: false,
    // SPDY and websockets need it.
    ALPNProtocols: ['http/1.1'],
    allowHalfOpen: true,
    shouldUpgradeCallback: ({ url }) => isStreaming(url),
    maxHeaderSize: MAX_HEADER_BYTES,
    handshakeTimeout: requestMs,
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: requestMs / 2,
    keepAliveTimeout: KEEP_ALIVE_MS,
  })
  server.on('request', (request, response) => {
    const verdict = judgeRequest(request, judging)
    if (verdict.kind === 'refusal') {
      sendAnswer(response, verdict.answer)
    } else if (verdict.kind === 'page') {
      void servePage(response, verdict)
    } else if (verdict.endpoint === 'containerLogs') {
      void serveLogs(response, verdict.target, host)
    } else {
      sendAnswer(response, { status: 400, body: 'Upgrade request required' })
    }
  })
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {})
    // It always is: the type is for servers that are made to listen to something else.
    if (!(socket instanceof Socket)) {
      socket.destroy()
      return
    }
    const verdict = judgeRequest(request, judging)
    switch (verdict.kind) {
      case 'pod':
        void serveStream({ request, socket, head }, verdict.target, host)
        break
      case 'refusal':
        refuseUpgrade(socket, verdict.answer)
        break
      case 'page':
        refuseUpgrade(socket, { status: 404, body: 'not found' })
    }
  })
  limitStrangers(server)
  const clients = clientsOf(server)
  await listen(server, { address, port, node })
  return {
    port: portOf(server),
    setTls: (tls) => server.setSecureContext(serverTls(tls, what)),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      clients.forEach((client) => client.destroy())
      await closed
    },
  }
}

/** Ends connections of those without a certificate of the plane's when there are many, as they may be there to be many. */
function limitStrangers(server: Server): void {
  let strangers = 0
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.authorized) {
      return
    }
    strangers += 1
    socket.once('close', () => {
      strangers -= 1
    })
    if (strangers > MAX_STRANGERS) {
      socket.destroy()
    }
  })
}

/** All connections, those that speak another protocol by now among them. */
function clientsOf(server: Server): Set<Socket> {
  const clients = new Set<Socket>()
  for (const event of ['connection', 'secureConnection']) {
    server.on(event, (socket: Socket) => {
      clients.add(socket)
      socket.once('close', () => clients.delete(socket))
    })
  }
  return clients
}

async function listen(
  server: Server,
  { address, node, port }: Pick<KubeletOptions, 'address' | 'port' | 'node'>,
): Promise<void> {
  try {
    server.listen({ host: address, port, exclusive: true })
    await once(server, 'listening')
  } catch (cause) {
    const place = `${address}:${port}`
    throw hasErrorCode(cause, 'EADDRINUSE')
      ? new VplaneError('CONFLICT', `another program listens on ${place}`, { cause })
      : new VplaneError(
          'FAILED',
          `cannot listen on ${place} for node "${node}": ${messageOf(cause)}`,
          { cause },
        )
  }
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
