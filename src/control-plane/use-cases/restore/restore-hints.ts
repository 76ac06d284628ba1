import { messageOf } from '../../../shared/errors.ts'
import type { Hint } from '../../../shared/hint.ts'
import { formatAge } from '../../../shared/text/format-age.ts'
import type { Plane } from '../../plane/plane.ts'
import type { Snapshots, SnapshotStore, StoredSnapshot } from '../../driver/snapshot.ts'
import type { RestoreDependencies } from './restore-control-plane.ts'
import { within } from '../../../shared/wait.ts'

/** How long a store may take to say what it has, in milliseconds: what is wrong with the plane is to be said all the same. */
const LOOK_MS = 10_000

/**
 * How to get the data of a plane from a snapshot: how old the newest is of those that are kept here and of its backups, and
 * the command; and where its backups are when they cannot be looked at.
 */
export async function restoreHints(
  { now, openSnapshots }: Pick<RestoreDependencies, 'openSnapshots' | 'now'>,
  plane: Plane,
  signal: AbortSignal,
): Promise<Hint[]> {
  const snapshots = await openSnapshots()
  const url = plane.spec.backup?.store
  const places = [undefined, ...(url === undefined ? [] : [url])]
  const looks = await Promise.all(places.map((place) => look(snapshots, { place, plane, signal })))
  const [newest] = looks
    .flatMap(({ found }) => found)
    .toSorted((left, right) => right.createdAt.getTime() - left.createdAt.getTime())
  const where = url === undefined ? 'kept here' : `kept here or found in ${url}`
  const purpose =
    newest === undefined
      ? `restore it, though no snapshot of it is ${where}`
      : `restore what it was ${formatAge(newest.createdAt, now())} ago`
  const from = newest?.from ?? 'SNAPSHOT'
  return [
    { purpose, action: 'restore', plane, force: true, from },
    ...looks.flatMap(({ failure }) => failure ?? []),
  ]
}

interface Look {
  /** Each with what `restore` takes for it. */
  found: Array<StoredSnapshot & { from: string }>
  /** Why nothing is known of what is there, and how to look. */
  failure?: Hint
}

/** @param place where backups are. @default what is kept on this machine */
async function look(
  snapshots: Snapshots,
  { place, plane, signal }: { place: string | undefined; plane: Plane; signal: AbortSignal },
): Promise<Look> {
  try {
    const store: SnapshotStore = place === undefined ? snapshots.kept : snapshots.storeOf(place)
    const listed = await within(LOOK_MS, (limit) => store.list(AbortSignal.any([signal, limit])))
    const base = place === undefined ? '' : `${place.replace(/\/+$/, '')}/`
    const found = listed.filter((one) => isOf(plane, one))
    return { found: found.map((one) => ({ ...one, from: `${base}${one.id}` })) }
  } catch (error) {
    // What is wrong with the plane is more than this.
    signal.throwIfAborted()
    const what = place === undefined ? 'what is kept here' : `backups in ${place}`
    const purpose = `${what} could not be looked at (${messageOf(error)})`
    return {
      found: [],
      failure: { purpose, action: 'list-snapshots', store: place },
    }
  }
}

/** Whether a snapshot holds the data of a plane, and not of another one that had its name. */
function isOf(plane: Plane, one: StoredSnapshot): boolean {
  return (
    one.kind === 'snapshot' &&
    one.plane === plane.name &&
    one.driver === plane.driver &&
    one.namespace === plane.namespace &&
    (one.backupOf === undefined || one.backupOf === plane.id)
  )
}
