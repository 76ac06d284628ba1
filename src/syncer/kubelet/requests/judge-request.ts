import type { IncomingMessage } from 'node:http'
import type { VirtualKey } from '../../scope/sync-scope.ts'
import { clientNameOf } from '../../tls/serve-tls.ts'
import { forbidden, type KubeletAnswer, UNAUTHORIZED } from './kubelet-answer.ts'
import type { KubeletPage, KubeletPages, Reader } from './kubelet-page.ts'
import { type Endpoint, parsePodRequest } from './parse-pod-request.ts'
import { parseQuery, type Query } from './parse-query.ts'
import { type LocatedPod, podTarget, type PodTarget } from './pod-target.ts'

export interface JudgeOptions {
  /** The common name of the one client that may do everything. */
  clientName: string
  pages: KubeletPages
  locate(pod: Required<VirtualKey>): LocatedPod | undefined
}

export type Verdict =
  | { kind: 'refusal'; answer: KubeletAnswer }
  | { kind: 'page'; page: KubeletPage; query: Query; reader?: Reader }
  | { kind: 'pod'; endpoint: Endpoint; target: PodTarget }

/**
 * What a request to a kubelet is to get: nothing is done for one that is not by the plane's kube-apiserver, but that others
 * may read some pages.
 */
export function judgeRequest(request: IncomingMessage, options: JudgeOptions): Verdict {
  const { clientName, pages } = options
  const client = clientNameOf(request)
  const { method, url = '' } = request
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const query = parseQuery(mark === -1 ? '' : url.slice(mark + 1))
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined
  if (client !== clientName) {
    if (page?.mayRead !== undefined && method === 'GET') {
      return { kind: 'page', page, query, reader: { client, token: bearerOf(request) } }
    }
    return refuse(client === undefined ? UNAUTHORIZED : forbidden(client))
  }
  const asked = parsePodRequest(method, path)
  if (asked === undefined) {
    return judgePage(page, method, query)
  }
  if ('status' in asked) {
    return refuse(asked)
  }
  const located = options.locate({ namespace: asked.namespace, name: asked.pod })
  const target = podTarget(asked, { located, query })
  return 'status' in target ? refuse(target) : { kind: 'pod', endpoint: asked.endpoint, target }
}

function judgePage(page: KubeletPage | undefined, method = '', query: Query): Verdict {
  if (page === undefined) {
    return refuse({ status: 404, body: 'not found' })
  }
  return method === 'GET'
    ? { kind: 'page', page, query }
    : refuse({ status: 405, body: 'this takes GET', allow: ['GET'] })
}

function refuse(answer: KubeletAnswer): Verdict {
  return { kind: 'refusal', answer }
}

function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
}
