import type { PlaneSpec } from '../../control-plane/spec/spec.ts'
import { VplaneError } from '../../shared/errors.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { askEtcd } from '../post-to-etcd.ts'
import {
  type PageRequest,
  type RangePage,
  rangeOverGrpc,
  type StoredPair,
} from './range-over-grpc.ts'
import { fieldAt, arrayAt, textAt } from '../../shared/json-fields.ts'

export interface RangeOptions {
  /** The first key of the range. */
  from: Buffer
  /** The key after the range; a zero byte for all keys after `from`. */
  to: Buffer
  /** Keys per request: etcd allows values of 1.5 MiB, and all of them must fit into one text. */
  limit: number
  /** All pages have the revision of the first. @default each page has the latest revision */
  isAtOneRevision?: boolean
  signal: AbortSignal
}

/** Appended to a key, it makes the next possible key. */
export const LEAST = Buffer.of(0)

/** The keys of a resource, such as `secrets` or `stable.example.com/crontabs`, in kube-apiserver's data; all start with `folder`. */
export function registryRange(
  { etcd: { prefix = '/registry' } }: Pick<PlaneSpec, 'etcd'>,
  resource: string,
): Pick<RangeOptions, 'from' | 'to'> & { folder: string } {
  const folder = `${prefix}/${resource}/`
  // `0` is the next character after `/`.
  return { folder, from: Buffer.from(folder), to: Buffer.from(folder.replace(/\/$/, '0')) }
}

/** Reads the keys of a range with their values, `limit` of them at a time. */
export async function* readRange(
  connection: EtcdConnection,
  { isAtOneRevision = false, limit, signal, to, ...options }: RangeOptions,
): AsyncGenerator<StoredPair> {
  let { from } = options
  let revision: number | undefined
  const readPage = connection.hasGateway === false ? rangeOverGrpc : rangeOverGateway
  for (;;) {
    const page = await readPage(connection, { from, to, limit, revision, signal })
    if (isAtOneRevision) {
      revision ??= revisionOf(page, connection)
    }
    yield* page.pairs
    const last = page.pairs.at(-1)
    if (!page.hasMore || last === undefined) {
      return
    }
    from = Buffer.concat([last.key, LEAST])
  }
}

function revisionOf({ revision }: RangePage, { what }: EtcdConnection): number {
  if (revision === undefined) {
    throw new VplaneError('FAILED', `${what} does not report its revision`)
  }
  return revision
}

async function rangeOverGateway(
  connection: EtcdConnection,
  { from, limit, revision, signal, to }: PageRequest & { to: Buffer },
): Promise<RangePage> {
  const page = { key: from.toString('base64'), range_end: to.toString('base64'), limit }
  const body = revision === undefined ? page : { ...page, revision: String(revision) }
  const answer = await askEtcd(connection, { path: '/v3/kv/range', body, signal })
  const text = textAt(answer, 'header', 'revision')
  return {
    ...(text === undefined ? {} : { revision: Number(text) }),
    pairs: pairsOf(answer),
    hasMore: fieldAt(answer, 'more') === true,
  }
}

function pairsOf(answer: unknown): StoredPair[] {
  return arrayAt(answer, 'kvs').map((pair) => ({
    key: bytesOf(pair, 'key'),
    value: bytesOf(pair, 'value'),
    hasLease: fieldAt(pair, 'lease') !== undefined,
  }))
}

/** etcd omits empty fields. */
function bytesOf(pair: unknown, field: string): Buffer {
  return Buffer.from(textAt(pair, field) ?? '', 'base64')
}
