import type { LogicalKey } from '../backup/logical/logical-format.ts'
import type { KineRow } from '../database/dialect/kine-row.ts'
import { VplaneError } from '../shared/errors.ts'

/** kine has the latest compacted revision in the column `prev_revision` of this row. */
const COMPACTED = 'compact_rev_key'

interface KineRowsOptions {
  /** Counts as compacted, with all before it; the keys follow it. */
  revision: number
  /** How texts name the store. */
  title: string
}

/**
 * The rows of kine with keys whose revisions begin after a revision. A key that expires has the rest of its life.
 * @throws {VplaneError} `FAILED` for a key that is no text, and what the keys throw.
 */
export async function* kineRows(
  keys: AsyncIterable<LogicalKey>,
  { revision, title }: KineRowsOptions,
): AsyncGenerator<KineRow, void, void> {
  const none = Buffer.alloc(0)
  yield { id: revision, name: COMPACTED, prevRevision: revision, lease: 0, value: none }
  let id = revision
  for await (const { key, ttlSeconds: lease = 0, value } of keys) {
    id += 1
    yield { id, name: textOf(key, title), prevRevision: 0, lease, value }
  }
}

function textOf(key: Buffer, title: string): string {
  const text = key.toString('utf8')
  if (!Buffer.from(text).equals(key)) {
    throw new VplaneError('FAILED', `${title} cannot store the key "${text}": it is no text`)
  }
  return text
}
