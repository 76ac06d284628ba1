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

/** Answers GET requests to one path that is about the node as a whole. */
export type KubeletPage = (request: PageRequest) => KubeletAnswer | Promise<KubeletAnswer>

/** Pages by their path. */
export type KubeletPages = Readonly<Record<string, KubeletPage>>

/** Somebody who is not the plane's kube-apiserver, by what they show. */
export interface Reader {
  /** The common name in their certificate. */
  client: string | undefined
  token: string | undefined
}

/** Tells whether somebody may have a page. */
export type PageReader = (reader: Reader, signal: AbortSignal) => Promise<Access>

/** By the path of the page. */
export type PageReaders = Readonly<Record<string, PageReader>>

/** Whether the one who asks may have a page. */
export type ReaderAccess = (signal: AbortSignal) => Promise<Access>

/** The pages that every node has. */
export function basicPages(node: string): KubeletPages {
  return {
    '/healthz': () => ({ status: 200, body: 'ok' }),
    '/pods': () => ({ status: 501, body: `virtual node "${node}" does not serve its pods` }),
  }
}

/** Answers with a page, to whom may have it; one that fails answers 500. */
export async function servePage(
  response: ServerResponse,
  { access, page, query }: { page: KubeletPage; query: Query; access?: ReaderAccess },
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const { signal } = gone
  try {
    const may = (await access?.(signal)) ?? 'allowed'
    sendAnswer(response, may === 'allowed' ? await page({ query, signal }) : REFUSALS[may])
  } catch (error) {
    sendAnswer(response, { status: 500, body: messageOf(error) })
  }
}

const REFUSALS = { unknown: UNAUTHORIZED, forbidden: forbidden('the one with this token') }
