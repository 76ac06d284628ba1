import { deletedMeanwhile } from '../../../control-plane/plane/deleted-meanwhile.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import { refuseFenced } from '../../../control-plane/plane/fence.ts'
import { refuseHalfRestored } from '../../../control-plane/plane/refuse-half-restored.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { Host } from '../context/context.ts'
import { Journal } from './journal.ts'
import { acquireLease, tryLease } from './plane-lease.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { JournalEntry, PlaneRecord } from './plane-record.ts'
import { isReadableRecord, type ReadableRecord, readRecord } from './record-store.ts'

export interface HoldPlaneOptions {
  place: PlacedName
  /** A plane that was made anew under the name is another one. */
  id: string
  operation: JournalEntry['operation']
  now: () => Date
}

/** A plane that is held, with the journal of what is done to it. */
export interface HeldPlane extends AsyncDisposable {
  journal: Journal
}

/** What may be done to a plane that is fenced. */
const BEHIND_FENCE: ReadonlyArray<JournalEntry['operation']> = ['move', 'remove']

/**
 * Holds a plane to change it.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when it was removed meanwhile, `TIMED_OUT` when others hold it, `FAILED`
 * when it is fenced.
 */
export async function holdPlane(
  { api }: Pick<Host, 'api'>,
  options: HoldPlaneOptions,
  { signal, ui }: Pick<Operation, 'signal' | 'ui'>,
): Promise<HeldPlane> {
  const { now, place } = options
  const onWait = () => ui.step(`Waiting for another vplane that works on "${place.name}"`)
  // The Lease of a plane that is gone would be left behind.
  await readPlane(api, options, signal)
  await using stack = new AsyncDisposableStack()
  const lease = stack.use(await acquireLease(api, { ...place, now, signal, onWait }))
  const stored = await readPlane(api, options, signal)
  if (!BEHIND_FENCE.includes(options.operation)) {
    refuseFenced({ ...place, driver: 'kubernetes', movingTo: stored.record.movingTo })
  }
  const journal = new Journal(api, { lease, stored, operation: options.operation, now, signal })
  const held = stack.move()
  return { journal, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

/** Holds a plane as `holdPlane` does, without waiting; undefined when somebody else does. */
export async function tryHoldPlane(
  { api }: Pick<Host, 'api'>,
  options: HoldPlaneOptions,
  signal: AbortSignal,
): Promise<HeldPlane | undefined> {
  const { now, place } = options
  await using stack = new AsyncDisposableStack()
  const lease = stack.use(await tryLease(api, { ...place, now, signal }))
  if (lease === undefined) {
    return undefined
  }
  const stored = await readPlane(api, options, signal)
  const journal = new Journal(api, { lease, stored, operation: options.operation, now, signal })
  const held = stack.move()
  return { journal, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

/**
 * The record of a plane as it is now.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when it was removed meanwhile, `FAILED` when it cannot be read.
 */
export async function readPlane(
  api: Pick<Host['api'], 'get'>,
  { id, place }: { place: PlacedName; id: Plane['id'] },
  signal: AbortSignal,
): Promise<ReadableRecord> {
  const stored = await readRecord(api, place, { signal })
  if (stored !== undefined && !isReadableRecord(stored)) {
    throw stored.record
  }
  if (stored === undefined || stored.record.id !== id || stored.record.desired === 'kept') {
    throw deletedMeanwhile(place.name)
  }
  return stored
}

/**
 * Refuses to go on with a plane that somebody began to delete.
 *
 * @throws {VplaneError} `FAILED` when it is half deleted.
 */
export function refuseHalfDeleted({ journal, name }: PlaneRecord): void {
  if (journal?.operation === 'remove') {
    throw new VplaneError('FAILED', `"${name}" is half deleted`, {
      hints: [{ purpose: 'to continue', action: 'delete', plane: { name } }],
    })
  }
}

/**
 * Refuses to start or change a plane whose etcd is half restored, or half way to a majority of members some of which have
 * no data: what else starts might take that for all there is.
 *
 * @throws {VplaneError} `FAILED` that says how to go on.
 */
export function refuseHalfMended(record: PlaneRecord): void {
  refuseHalfRestored(record)
  refuseHalfRepaired(record)
}

/**
 * Refuses to stop a plane whose etcd is half way to a majority: a repair does not look at what rests.
 *
 * @throws {VplaneError} `FAILED` that says how to go on.
 */
export function refuseHalfRepaired({ name, regaining }: PlaneRecord): void {
  if (regaining !== undefined) {
    throw new VplaneError('FAILED', `a repair of etcd of "${name}" was cut off`, {
      hints: [{ purpose: 'to continue', action: 'repair', plane: { name } }],
    })
  }
}

/**
 * Refuses to change a plane whose making was cut off.
 *
 * @throws {VplaneError} `FAILED` that says how to go on.
 */
export function refuseHalfMade({ isComplete, name }: PlaneRecord): void {
  if (!isComplete) {
    throw new VplaneError('FAILED', `the making of "${name}" was cut off`, {
      hints: [{ purpose: 'to continue', action: 'resume', plane: { name } }],
    })
  }
}
