import type { ServerResponse } from 'node:http'
import type { KubeClient } from '../../../kube/client/client.ts'
import { messageOf } from '../../../shared/errors.ts'
import { type Json, recordAt } from '../../../shared/json-fields.ts'
import { forbidden, type KubeletAnswer, sendAnswer, UNAUTHORIZED } from './kubelet-answer.ts'
import { parseQuery, type Query } from './parse-query.ts'

export interface PageRequest {
  query: Query
  /** Fires when the client has disconnected. */
  signal: AbortSignal
}

/** The access of a client; `unknown` if its token is invalid. */
export type Access = 'allowed' | 'forbidden' | 'unknown'

/** The credentials of a client that is not the plane's kube-apiserver. */
export interface Reader {
  /** The common name in its certificate. */
  client: string | undefined
  token: string | undefined
}

/** Answers GET requests to one path about the whole node. */
export interface KubeletPage {
  answer: (request: PageRequest) => KubeletAnswer | Promise<KubeletAnswer>
  /** Checks the access of clients other than the plane's kube-apiserver. @default they have none */
  mayRead?: (reader: Reader, signal: AbortSignal) => Promise<Access>
}

export type KubeletPages = Readonly<Record<string, KubeletPage>>

/** The pages of every node. */
export function basicPages(node: string): KubeletPages {
  const body = `virtual node "${node}" does not serve its pods`
  return {
    '/healthz': { answer: () => ({ status: 200, body: 'ok' }) },
    '/pods': { answer: () => ({ status: 501, body }) },
  }
}

/** Answers with a page to the plane's kube-apiserver or to a reader with access; with 500 when the page fails. */
export async function servePage(
  response: ServerResponse,
  { page, query, reader }: { page: KubeletPage; query: string; reader?: Reader },
): Promise<void> {
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  const { signal } = closed
  try {
    const may = reader === undefined ? 'allowed' : await page.mayRead?.(reader, signal)
    if (may === 'allowed') {
      sendAnswer(response, await page.answer({ query: parseQuery(query), signal }))
    } else {
      sendAnswer(response, REFUSALS[may ?? 'unknown'])
    }
  } catch (error) {
    sendAnswer(response, { status: 500, body: messageOf(error) })
  }
}

const REFUSALS = { unknown: UNAUTHORIZED, forbidden: forbidden('the user of this token') }

interface TokenUse {
  token: string
  node: string
  /** The subresource of `nodes` in RBAC: `metrics`, `stats`. */
  subresource: string
}

/** Lets the plane review a token and its access to a node, as kubelets do with webhook authentication and authorization. */
export async function reviewToken(
  plane: Pick<KubeClient, 'create'>,
  { node, subresource, token }: TokenUse,
  signal: AbortSignal,
): Promise<Access> {
  const review = async (group: 'authentication' | 'authorization', kind: string, spec: Json) => {
    const apiVersion = `${group}.k8s.io/v1`
    const path = `/apis/${apiVersion}/${kind.toLowerCase()}s`
    const answer = await plane.create(path, { apiVersion, kind, metadata: {}, spec }, { signal })
    return recordAt(answer, 'status') ?? {}
  }
  const known = await review('authentication', 'TokenReview', { token })
  const { extra, groups, uid, username: user } = recordAt(known, 'user') ?? {}
  if (known['authenticated'] !== true || typeof user !== 'string' || user === '') {
    return 'unknown'
  }
  const about = { verb: 'get', version: 'v1', resource: 'nodes', subresource, name: node }
  const asked = { user, groups, uid, extra, resourceAttributes: about }
  const { allowed } = await review('authorization', 'SubjectAccessReview', asked)
  return allowed === true ? 'allowed' : 'forbidden'
}
