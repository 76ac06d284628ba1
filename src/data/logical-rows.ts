import { DEFAULT_PREFIX } from '../backup/logical/logical-format.ts'
import { moveKeys } from '../backup/logical/move-keys.ts'
import { logicalHeader, logicalKeys } from '../backup/logical/read-logical.ts'
import { revisionAbove } from '../control-plane/components/arguments/restore-arguments.ts'
import type { DataFingerprint } from '../control-plane/plane/data-fingerprint.ts'
import type { KineRow } from '../database/dialect/kine-row.ts'
import { Fingerprint } from '../etcd/data/data-fingerprint.ts'
import { countedKeys } from './counted-keys.ts'
import { kineRows } from './kine-rows.ts'

interface LogicalRowsOptions {
  /** Revisions that clients may know; 0 if unknown. */
  known: readonly number[]
  /** Of the keys in the store. @default that of kube-apiserver */
  prefix: string | undefined
  /** How texts name the store. */
  title: string
  signal: AbortSignal
}

/** A logical snapshot as rows of kine, which can be read once. */
export interface LogicalRows {
  /** Their revisions are later; this one and all before it count as compacted. */
  revisionFloor: number
  rows: AsyncIterable<KineRow>
  /** What the store must contain then. Must be called once, after the last row. */
  expected: () => DataFingerprint
}

/** The rows of kine with the keys in a file; undefined if that is no logical snapshot. */
export async function logicalRows(
  file: string,
  { known, prefix = DEFAULT_PREFIX, signal, title }: LogicalRowsOptions,
): Promise<LogicalRows | undefined> {
  const header = await logicalHeader(file)
  if (header === undefined) {
    return undefined
  }
  const revisionFloor = revisionAbove(...known, header.revision)
  const fingerprint = new Fingerprint()
  const from = header.prefix ?? DEFAULT_PREFIX
  const stored = logicalKeys(file)
  const moved = from === prefix ? stored : moveKeys(stored, { from, to: prefix })
  const keys = countedKeys(moved, { fingerprint, signal })
  return {
    revisionFloor,
    rows: kineRows(keys, { revision: revisionFloor, title }),
    expected: () => fingerprint.end(),
  }
}
