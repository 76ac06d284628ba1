import { VplaneError } from '../../shared/errors.ts'
import { exchange } from '../http/exchange.ts'
import { httpStatusOf } from '../kube-error.ts'
import { type KubeObject, isKubeObject } from '../../shared/kube/kube-object.ts'
import { arrayAt, textAt } from '../../shared/json-fields.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { withQuery } from './query.ts'
import type { Transport } from '../http/transport.ts'

export interface ObjectList {
  items: KubeObject[]
  /** The version of the store that the list shows; a watch continues from it. */
  resourceVersion: string
}

const PAGE_SIZE = '500'

export interface ListOptions {
  signal: AbortSignal | undefined
  /** Whether the items have nothing but their metadata. @default false */
  metadataOnly?: boolean | undefined
  /**
   * The part of each item to return, besides its UID and version; undefined leaves it out. What it leaves out is in memory
   * for one page only. @default all
   */
  keep?: ((object: KubeObject) => KubeObject | undefined) | undefined
}

/** Lists a collection at one version, page by page. */
export async function listObjects(
  transport: Transport,
  path: string,
  options: ListOptions,
): Promise<ObjectList> {
  try {
    return await readPages(transport, withQuery(path, { limit: PAGE_SIZE }), options)
  } catch (error) {
    if (httpStatusOf(error) !== 410) {
      throw error
    }
    // The version expired between two pages: a single page cannot expire.
    return readPages(transport, path, options)
  }
}

/** The media type of metadata alone: https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches. */
export function metadataType(kind: 'PartialObjectMetadata' | 'PartialObjectMetadataList'): string {
  return `application/json;as=${kind};g=meta.k8s.io;v=v1`
}

async function readPages(
  transport: Transport,
  path: string,
  { keep, metadataOnly = false, signal }: ListOptions,
): Promise<ObjectList> {
  const accept = metadataOnly ? metadataType('PartialObjectMetadataList') : undefined
  const items: KubeObject[] = []
  let next: string | undefined
  for (;;) {
    const page = await exchange(transport, {
      method: 'GET',
      path: withQuery(path, { continue: next }),
      signal,
      ...(accept === undefined ? {} : { accept }),
    })
    const list = toList(page, path)
    // Not all at once: a page may have more items than a function can have arguments.
    for (const item of itemsOf(list)) {
      const kept = keptPart(item, keep)
      if (kept !== undefined) {
        items.push(kept)
      }
    }
    next = textAt(list, 'metadata', 'continue')
    if (next === undefined) {
      return { items, resourceVersion: list.metadata.resourceVersion ?? '' }
    }
  }
}

/** A watch finds by UID and version what changed between two lists: they stay whatever `keep` returns. */
export function keptPart(object: KubeObject, keep: ListOptions['keep']): KubeObject | undefined {
  const { resourceVersion, uid } = object.metadata
  const kept = keep === undefined ? object : keep(object)
  return kept === undefined || kept.metadata === object.metadata
    ? kept
    : { ...kept, metadata: { ...omitUndefined({ resourceVersion, uid }), ...kept.metadata } }
}

function toList(page: unknown, path: string): KubeObject {
  if (isKubeObject(page) && (Array.isArray(page['items']) || page['items'] === null)) {
    return page
  }
  throw new VplaneError('FAILED', `GET ${path} was answered with something that is not a list`)
}

/** The items of a list with the kind and version that Kubernetes leaves out of them. */
function itemsOf(list: KubeObject): KubeObject[] {
  const apiVersion = textAt(list, 'apiVersion') ?? ''
  const kind = textAt(list, 'kind')?.replace(/List$/, '') ?? ''
  return arrayAt(list, 'items')
    .filter(isKubeObject)
    .map((item) => Object.assign({ apiVersion, kind }, item))
}
