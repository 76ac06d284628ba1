import { VplaneError } from '../../shared/errors.ts'
import { exchange } from '../http/exchange.ts'
import { httpStatusOf } from '../kube-error.ts'
import { type KubeObject, isKubeObject } from '../../shared/kube/kube-object.ts'
import { isRecord } from '../../shared/json-fields.ts'
import { withQuery } from './query.ts'
import type { Transport } from '../http/transport.ts'

export interface ObjectList {
  items: KubeObject[]
  /** The state of the store that the list shows; a watch goes on from it. */
  resourceVersion: string
}

const PAGE_SIZE = '500'

/** Everything of one collection at one moment, read page by page. */
export async function listObjects(
  transport: Transport,
  path: string,
  signal: AbortSignal | undefined,
): Promise<ObjectList> {
  try {
    return await readPages(transport, withQuery(path, { limit: PAGE_SIZE }), signal)
  } catch (error) {
    if (httpStatusOf(error) !== 410) {
      throw error
    }
    // The pages took longer than the store keeps that moment: one page for all cannot be too late.
    return readPages(transport, path, signal)
  }
}

async function readPages(
  transport: Transport,
  path: string,
  signal: AbortSignal | undefined,
): Promise<ObjectList> {
  const items: KubeObject[] = []
  let next: string | undefined
  for (;;) {
    const page = await exchange(transport, {
      method: 'GET',
      path: withQuery(path, { continue: next }),
      signal,
    })
    const { metadata } = toList(page, path)
    items.push(...itemsOf(page))
    next = typeof metadata['continue'] === 'string' ? metadata['continue'] : ''
    if (next === '') {
      return { items, resourceVersion: metadata.resourceVersion ?? '' }
    }
  }
}

function toList(page: unknown, path: string): KubeObject {
  if (isKubeObject(page) && (Array.isArray(page['items']) || page['items'] === null)) {
    return page
  }
  throw new VplaneError('FAILED', `GET ${path} was answered with something that is not a list`)
}

/** The items of a list with the kind and version that Kubernetes leaves out of them. */
function itemsOf(list: unknown): KubeObject[] {
  if (!isRecord(list) || !Array.isArray(list['items'])) {
    return []
  }
  const apiVersion = String(list['apiVersion'])
  const kind = String(list['kind']).replace(/List$/, '')
  return list['items'].filter(isKubeObject).map((item) => Object.assign({ apiVersion, kind }, item))
}
