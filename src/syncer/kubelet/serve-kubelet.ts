import type { Server, ServerOptions } from 'node:https'
import { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Peer } from '../../kube/http/peer.ts'
import type { VirtualKey } from '../scope/sync-scope.ts'
import { serveTls, type TlsServer, type TlsServerOptions } from '../tls/serve-tls.ts'
import { judgeRequest } from './requests/judge-request.ts'
import { refuseUpgrade, sendAnswer } from './requests/kubelet-answer.ts'
import { basicPages, type KubeletPages, servePage } from './requests/kubelet-page.ts'
import { isStreaming } from './requests/parse-pod-request.ts'
import type { LocatedPod } from './requests/pod-target.ts'
import { serveLogs } from './streams/serve-logs.ts'
import { serveStream } from './streams/serve-stream.ts'

export interface KubeletOptions extends TlsServerOptions {
  node: string
  /** The common name of the plane's kube-apiserver when it talks to kubelets. */
  clientName: string
  /** The host pod of a virtual pod of this node. */
  locate(pod: Required<VirtualKey>): LocatedPod | undefined
  /** The host's API server, with the syncer's credential. It outlives the kubelet. */
  host: Peer
  /** What the node serves besides, by path; they come before those that say that there is nothing. @default none */
  pages?: KubeletPages
}

/** As much as kubelets take: a command with a script in it is long, and only kube-apiserver gets as far as that. */
const MAX_HEADER_BYTES = 1024 * 1024

const HTTPS: ServerOptions = {
  // Whoever shows no certificate that is trusted is nobody, and gets as far as that.
  rejectUnauthorized: false,
  // SPDY and websockets need it.
  ALPNProtocols: ['http/1.1'],
  allowHalfOpen: true,
  shouldUpgradeCallback: ({ url }) => isStreaming(url),
  maxHeaderSize: MAX_HEADER_BYTES,
}

/** So many may read at a time: they take room before it is known who they are. */
const MAX_STRANGERS = 50

/**
 * Serves a kubelet's HTTPS port for a virtual node: logs, exec, attach and port-forward of its pods, which the host does
 * with their host pods. Only who has a certificate of the plane's CA for `clientName` gets in; others may have the pages
 * that let them.
 *
 * @throws {VplaneError} as `serveTls` does.
 */
export function serveKubelet(options: KubeletOptions): Promise<TlsServer> {
  const { host, node } = options
  const judging = { ...options, pages: { ...basicPages(node), ...options.pages } }
  return serveTls({ ...options, what: `the kubelet of node "${node}"` }, HTTPS, (server) => {
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
  })
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
