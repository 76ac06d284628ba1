import { messageOf } from '../../../shared/errors.ts'
import type { Hint } from '../../../shared/hint.ts'
import { formatAge } from '../../../shared/text/duration.ts'
import type { Plane } from '../../plane/plane.ts'
import type { Snapshots, SnapshotStore, StoredSnapshot } from '../../driver/snapshot.ts'
import type { RestoreDependencies } from './restore-control-plane.ts'
import { within } from '../../../shared/wait.ts'

/** How long a store may take to list its snapshots, in milliseconds: the fault of the plane is reported in any case. */
const LIST_MS = 10_000

/**
 * How to restore a plane from its newest snapshot, among those on this machine and its backups, with its age; and where
 * its backups are when they cannot be listed.
 */
export async function restoreHints(
  { now, openSnapshots }: Pick<RestoreDependencies, 'openSnapshots' | 'now'>,
  plane: Plane,
  signal: AbortSignal,
): Promise<Hint[]> {
  const snapshots = await openSnapshots()
  const url = plane.spec.backup?.store
  const lists = await Promise.all(
    [undefined, ...(url === undefined ? [] : [url])].map((place) =>
      listSnapshots(snapshots, { place, plane, signal }),
    ),
  )
  const [newest] = lists
    .flatMap(({ found }) => found)
    .toSorted((left, right) => right.createdAt.getTime() - left.createdAt.getTime())
  const where = url === undefined ? 'on this machine' : `on this machine or in ${url}`
  const purpose =
    newest === undefined
      ? `restore it, though there is no snapshot of it ${where}`
      : `restore its state of ${formatAge(newest.createdAt, now())} ago`
  const from = newest?.from ?? 'SNAPSHOT'
  return [
    { purpose, action: 'restore', plane, force: true, from },
    ...lists.flatMap(({ failure }) => failure ?? []),
  ]
}

interface Listed {
  found: Array<StoredSnapshot & { from: string }>
  failure?: Hint
}

/** @param place where backups are. @default the snapshots on this machine */
async function listSnapshots(
  snapshots: Snapshots,
  { place, plane, signal }: { place: string | undefined; plane: Plane; signal: AbortSignal },
): Promise<Listed> {
  try {
    const store: SnapshotStore = place === undefined ? snapshots.local : snapshots.storeOf(place)
    const listed = await within(LIST_MS, (limit) => store.list(AbortSignal.any([signal, limit])))
    const base = place === undefined ? '' : `${place.replace(/\/+$/, '')}/`
    const found = listed.filter((one) => isSnapshotOf(plane, one))
    return { found: found.map((one) => ({ ...one, from: `${base}${one.id}` })) }
  } catch (error) {
    // The fault of the plane matters more than this.
    signal.throwIfAborted()
    const what = place === undefined ? 'snapshots on this machine' : `backups in ${place}`
    const purpose = `${what} cannot be listed (${messageOf(error)})`
    return { found: [], failure: { purpose, action: 'list-snapshots', store: place } }
  }
}

/** Whether a snapshot has the data of a plane, and not of an earlier one of its name. */
export function isSnapshotOf(plane: Plane, one: StoredSnapshot): boolean {
  return (
    one.kind === 'snapshot' &&
    one.plane === plane.name &&
    one.driver === plane.driver &&
    one.namespace === plane.namespace &&
    (one.backupOf === undefined || one.backupOf === plane.id)
  )
}
