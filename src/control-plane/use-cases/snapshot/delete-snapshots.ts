import { VplaneError } from '../../../shared/errors.ts'
import type { Hint } from '../../../shared/hint.ts'
import type { Ui } from '../../../shared/ui.ts'
import { agreeTo } from '../change/agree-to.ts'
import type { SnapshotDependencies } from './create-snapshot.ts'

export interface DeleteSnapshotsOptions {
  /** Ids of snapshots on this machine, or `s3://BUCKET/PREFIX/ID`. */
  ids: readonly string[]
  /** Do not ask. */
  isConfirmed: boolean
  signal: AbortSignal
}

/**
 * Deletes all snapshots, or none and without asking if one of them does not exist. Returns their ids, each once, and
 * what they are: `the snapshot dev-20260102-030405-1a2b`.
 * @throws {VplaneError} `NOT_FOUND` naming all that do not exist, `ABORTED` after a no, `USAGE` without anyone to ask.
 */
export async function deleteSnapshots(
  { openSnapshots, ui }: Pick<SnapshotDependencies, 'openSnapshots'> & { ui: Ui },
  { ids, isConfirmed, signal }: DeleteSnapshotsOptions,
): Promise<{ deleted: string[]; what: string }> {
  const snapshots = await openSnapshots()
  const wanted = [...new Set(ids)]
  const exist = await Promise.all(wanted.map((id) => snapshots.has(id, signal)))
  const missing = wanted.filter((_, index) => exist[index] !== true)
  if (missing.length > 0) {
    throw notFound(missing)
  }
  const what = wanted.length === 1 ? `the snapshot ${wanted[0]}` : `${wanted.length} snapshots`
  await agreeTo(ui, {
    lines: [],
    question: `Delete ${what}?`,
    refusal: `${what} ${wanted.length === 1 ? 'was' : 'were'} not deleted`,
    isConfirmed,
  })
  for (const id of wanted) {
    await snapshots.delete(id, signal)
  }
  return { deleted: wanted, what }
}

function notFound(ids: readonly string[]): VplaneError {
  const names = ids.map((id) => `"${id}"`).join(', ')
  const stores = new Set(ids.map((id) => /^(s3:.+)\//.exec(id)?.[1]))
  const hints = [...stores].map((store): Hint => ({ action: 'list-snapshots', store }))
  const message =
    ids.length === 1 ? `there is no snapshot ${names}` : `there are no snapshots ${names}`
  return new VplaneError('NOT_FOUND', message, { hints })
}
