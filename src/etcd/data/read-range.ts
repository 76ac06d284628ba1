import type { PlaneSpec } from '../../control-plane/spec/spec.ts'
import { VplaneError } from '../../shared/errors.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { askEtcd } from '../post-to-etcd.ts'
import { fieldAt, arrayAt, textAt } from '../../shared/json-fields.ts'

/** A key as etcd has it. */
export interface StoredPair {
  key: Buffer
  value: Buffer
  /** It ends by itself. */
  hasLease: boolean
}

export interface RangeOptions {
  /** The first key that is meant, or the least one after it. */
  from: Buffer
  /** The least key that is not meant any more; a byte of zero for all from `from` on. */
  to: Buffer
  /** Keys that are asked for at once: etcd takes values of 1.5 MiB, and all of them have to fit into one text. */
  limit: number
  /** All pages are of the revision of the first. @default each is of its own moment */
  isAtOneRevision?: boolean
  signal: AbortSignal
}

/** What makes the least key that is greater than another one, at its end. */
export const LEAST = Buffer.of(0)

/** The range of a resource, `secrets` or `stable.example.com/crontabs`, where kube-apiserver stores it: all its keys begin with `folder`. */
export function registryRange(
  { etcd: { prefix = '/registry' } }: Pick<PlaneSpec, 'etcd'>,
  resource: string,
): Pick<RangeOptions, 'from' | 'to'> & { folder: string } {
  const folder = `${prefix}/${resource}/`
  // The least key after all that begin so.
  return { folder, from: Buffer.from(folder), to: Buffer.from(folder.replace(/\/$/, '0')) }
}

/**
 * The keys of a range with their values, of which `limit` are held at a time.
 *
 * @throws {VplaneError} `UNREACHABLE`, `FAILED`, as `postToEtcd`.
 */
export async function* readRange(
  connection: EtcdConnection,
  { isAtOneRevision = false, limit, signal, to, ...options }: RangeOptions,
): AsyncGenerator<StoredPair> {
  let { from } = options
  let revision: string | undefined
  for (;;) {
    const body = {
      key: from.toString('base64'),
      range_end: to.toString('base64'),
      limit,
      ...(revision === undefined ? {} : { revision }),
    }
    const answer = await askEtcd(connection, { path: '/v3/kv/range', body, signal })
    if (isAtOneRevision) {
      revision ??= revisionOf(answer, connection)
    }
    const pairs = pairsOf(answer)
    yield* pairs
    const last = pairs.at(-1)
    if (fieldAt(answer, 'more') !== true || last === undefined) {
      return
    }
    from = Buffer.concat([last.key, LEAST])
  }
}

function revisionOf(answer: unknown, { what }: EtcdConnection): string {
  const revision = fieldAt(answer, 'header', 'revision')
  if (typeof revision !== 'string') {
    throw new VplaneError('FAILED', `${what} does not say its revision`)
  }
  return revision
}

function pairsOf(answer: unknown): StoredPair[] {
  return arrayAt(answer, 'kvs').map((pair) => ({
    key: bytesOf(pair, 'key'),
    value: bytesOf(pair, 'value'),
    hasLease: fieldAt(pair, 'lease') !== undefined,
  }))
}

/** What is empty or zero is left out. */
function bytesOf(pair: unknown, field: string): Buffer {
  return Buffer.from(textAt(pair, field) ?? '', 'base64')
}
