import type { ServerResponse } from 'node:http'
import { messageOf } from '../../../shared/errors.ts'
import { forbidden, type KubeletAnswer, sendAnswer, UNAUTHORIZED } from './kubelet-answer.ts'
import type { Query } from './parse-query.ts'
import type { Access } from './review-token.ts'

export interface PageRequest {
  query: Query
  /** Fires when the client has gone. */
  signal: AbortSignal
}

/** Somebody who is not the plane's kube-apiserver, by what they show. */
export interface Reader {
  /** The common name in their certificate. */
  client: string | undefined
  token: string | undefined
}

/** Answers GET requests to one path that is about the node as a whole. */
export interface KubeletPage {
  answer: (request: PageRequest) => KubeletAnswer | Promise<KubeletAnswer>
  /** Tells whether others than the plane's kube-apiserver may have it. @default nobody may */
  mayRead?: (reader: Reader, signal: AbortSignal) => Promise<Access>
}

export type KubeletPages = Readonly<Record<string, KubeletPage>>

/** The pages that every node has. */
export function basicPages(node: string): KubeletPages {
  const body = `virtual node "${node}" does not serve its pods`
  return {
    '/healthz': { answer: () => ({ status: 200, body: 'ok' }) },
    '/pods': { answer: () => ({ status: 501, body }) },
  }
}

/** Answers with a page, to a reader who may have it or to the plane's kube-apiserver; one that fails answers 500. */
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

const REFUSALS = { unknown: UNAUTHORIZED, forbidden: forbidden('the one with this token') }
