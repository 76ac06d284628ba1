import type { ServerResponse } from 'node:http'
import { messageOf } from '../../../shared/errors.ts'
import { forbidden, type KubeletAnswer, sendAnswer, UNAUTHORIZED } from './kubelet-answer.ts'
import type { Query } from './parse-query.ts'
import type { Access } from './review-token.ts'

export interface PageRequest {
  query: Query
  /** Fires when the client has disconnected. */
  signal: AbortSignal
}

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
  { page, query, reader }: { page: KubeletPage; query: Query; reader?: Reader },
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const { signal } = gone
  try {
    const may = reader === undefined ? 'allowed' : await page.mayRead?.(reader, signal)
    const answer = may === 'allowed' ? page.answer({ query, signal }) : REFUSALS[may ?? 'unknown']
    sendAnswer(response, await answer)
  } catch (error) {
    sendAnswer(response, { status: 500, body: messageOf(error) })
  }
}

const REFUSALS = { unknown: UNAUTHORIZED, forbidden: forbidden('the user of this token') }
