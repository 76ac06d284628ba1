import type { IncomingMessage } from 'node:http'
import type { Server, ServerOptions } from 'node:https'
import { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Peer } from '../../kube/http/peer.ts'
import type { VirtualKey } from '../scope/sync-scope.ts'
import { clientNameOf, serveTls, type TlsServer, type TlsServerOptions } from '../tls/serve-tls.ts'
import {
  forbidden,
  type KubeletAnswer,
  refuseUpgrade,
  sendAnswer,
  UNAUTHORIZED,
} from './requests/kubelet-answer.ts'
import {
  basicPages,
  type KubeletPage,
  type KubeletPages,
  type Reader,
  servePage,
} from './requests/kubelet-page.ts'
import { type Endpoint, isStreaming, parsePodRequest } from './requests/parse-pod-request.ts'
import { parseQuery } from './requests/parse-query.ts'
import { type LocatedPod, podTarget, type PodTarget } from './requests/pod-target.ts'
import { serveLogs } from './streams/serve-logs.ts'
import { serveStream } from './streams/serve-stream.ts'

export interface KubeletOptions extends TlsServerOptions {
  node: string
  /** The common name of the plane's kube-apiserver as a client of kubelets. */
  clientName: string
  locate: (pod: Required<VirtualKey>) => LocatedPod | undefined
  /** The host's API server, with the syncer's credential. It outlives the kubelet. */
  host: Peer
  /** Further pages of the node by path, which replace the basic ones. @default none */
  pages?: KubeletPages
}

const HTTPS: ServerOptions = {
  // A client without a trusted certificate is anonymous, and is refused or reviewed by each request.
  rejectUnauthorized: false,
  // SPDY and websockets need it.
  ALPNProtocols: ['http/1.1'],
  allowHalfOpen: true,
  shouldUpgradeCallback: ({ url }) => isStreaming(url),
  // The limit of kubelets, since a command can contain a script. Queries of clients without access are not parsed.
  maxHeaderSize: 1024 * 1024,
}

/** The limit of connections without a trusted certificate, which use resources before the client is authenticated. */
const MAX_UNTRUSTED = 50

/**
 * Serves a kubelet's port for a virtual node: logs, exec, attach and port-forward from host pods, to the client
 * `clientName` with a certificate of the plane's CA only; others may read pages that allow it. Throws what `serveTls`
 * throws.
 */
export function serveKubelet(options: KubeletOptions): Promise<TlsServer> {
  const { host, node } = options
  const known = { ...options, pages: { ...basicPages(node), ...options.pages } }
  return serveTls({ ...options, what: `the kubelet of node "${node}"` }, HTTPS, (server) => {
    server.on('request', (request, response) => {
      const verdict = authorize(request, known)
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
      // Always a socket: the type also covers servers with other streams.
      if (!(socket instanceof Socket)) {
        socket.destroy()
        return
      }
      const verdict = authorize(request, known)
      if (verdict.kind === 'pod') {
        void serveStream({ request, socket, head }, verdict.target, host)
      } else {
        const notFound = { status: 404, body: 'not found' }
        refuseUpgrade(socket, verdict.kind === 'refusal' ? verdict.answer : notFound)
      }
    })
    limitUntrusted(server)
  })
}

type Verdict =
  | { kind: 'refusal'; answer: KubeletAnswer }
  | { kind: 'page'; page: KubeletPage; query: string; reader?: Reader }
  | { kind: 'pod'; endpoint: Endpoint; target: PodTarget }

/** Decides what a request gets: from clients other than the plane's kube-apiserver, at most a page. */
function authorize(
  request: IncomingMessage,
  { clientName, locate, pages }: KubeletOptions & { pages: KubeletPages },
): Verdict {
  const client = clientNameOf(request)
  const { method, url = '' } = request
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const query = mark === -1 ? '' : url.slice(mark + 1)
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined
  if (client !== clientName) {
    if (page?.mayRead !== undefined && method === 'GET') {
      return { kind: 'page', page, query, reader: { client, token: bearerOf(request) } }
    }
    return refuse(client === undefined ? UNAUTHORIZED : forbidden(client))
  }
  const asked = parsePodRequest(method, path)
  if (asked === undefined) {
    return authorizePage(page, method, query)
  }
  if ('status' in asked) {
    return refuse(asked)
  }
  const located = locate({ namespace: asked.namespace, name: asked.pod })
  const target = podTarget(asked, { located, query: parseQuery(query) })
  return 'status' in target ? refuse(target) : { kind: 'pod', endpoint: asked.endpoint, target }
}

function authorizePage(page: KubeletPage | undefined, method = '', query: string): Verdict {
  if (page === undefined) {
    return refuse({ status: 404, body: 'not found' })
  }
  return method === 'GET'
    ? { kind: 'page', page, query }
    : refuse({ status: 405, body: 'only GET is allowed', allow: ['GET'] })
}

function refuse(answer: KubeletAnswer): Verdict {
  return { kind: 'refusal', answer }
}

function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
}

/** Closes new connections without a trusted certificate while there are too many of them, as in an attack. */
function limitUntrusted(server: Server): void {
  let untrusted = 0
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.authorized) {
      return
    }
    untrusted += 1
    socket.once('close', () => {
      untrusted -= 1
    })
    if (untrusted > MAX_UNTRUSTED) {
      socket.destroy()
    }
  })
}
