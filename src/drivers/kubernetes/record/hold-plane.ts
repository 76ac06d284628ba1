import type { JournalEntry } from '../../../control-plane/operations/journal.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import type { RotatedKeys } from '../../../control-plane/rotation/rotation.ts'
import { refuseDuring } from '../../../control-plane/operations/answer.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { Host } from '../context/context.ts'
import { Journal } from './journal.ts'
import type { HeldLease } from '../../../kube/lease/held-lease.ts'
import { acquireLease, isTerminating, type LeaseOptions, tryLease } from './plane-lease.ts'
import type { PlacedName } from '../context/object-names.ts'
import { isUnfinished, type PlaneRecord, unfinishedOf } from './plane-record.ts'
import { presentRecord, type ReadableRecord, readRecord } from './record-store.ts'
import { storeOf } from '../../../control-plane/store/store.ts'
import { hasEphemeralMembers } from '../../../control-plane/spec/needs-keeper.ts'
import type { Hint } from '../../../shared/hint.ts'

export interface HoldPlaneOptions {
  place: PlacedName
  /** A plane that was created again under the name has another id. */
  id: string
  operation: JournalEntry['operation']
  /** Of a rotation of keys. */
  keys?: RotatedKeys
  now: () => Date
}

export interface HeldPlane extends AsyncDisposable {
  journal: Journal
}

/**
 * Holds a plane to change it.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when it was deleted meanwhile, `TIMED_OUT` when others hold it,
 * `FAILED` when something else has to be finished first, or its namespace is being deleted.
 */
export async function holdPlane(
  { api }: Pick<Host, 'api'>,
  options: HoldPlaneOptions,
  { signal, ui }: Pick<Operation, 'signal' | 'ui'>,
): Promise<HeldPlane> {
  const { keys, now, operation, place } = options
  // Fails before it acquires a Lease: that of a deleted plane would remain.
  await readPlane(api, options, signal)
  await using stack = new AsyncDisposableStack()
  const lease = stack.use(await acquireLiving(api, { ...place, now, signal, ui }))
  const stored = await readPlane(api, options, signal)
  refuseOperation(options, stored.record)
  const journal = new Journal(api, { lease, stored, operation, keys, now, signal })
  const held = stack.move()
  return { journal, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

async function acquireLiving(api: Host['api'], options: LeaseOptions): Promise<HeldLease> {
  try {
    return await acquireLease(api, options)
  } catch (error) {
    if (!isTerminating(error)) {
      throw error
    }
    const { name, namespace } = options
    const message = `namespace "${namespace}" is being deleted, and "${name}" with it`
    const plane = { name, namespace }
    throw new VplaneError('FAILED', message, {
      hints: [{ purpose: 'to wait until all of it is gone', action: 'delete', plane }],
      cause: error,
    })
  }
}

/** Holds a plane without waiting; undefined when another vplane holds it. */
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

/** Undefined when another vplane holds the plane, or something on it is unfinished. */
export async function holdToMaintain(
  api: Host['api'],
  options: Omit<HoldPlaneOptions, 'operation'>,
  signal: AbortSignal,
): Promise<HeldPlane | undefined> {
  const held = await tryHoldPlane({ api }, { ...options, operation: 'maintain' }, signal)
  if (held !== undefined && isUnfinished(held.journal.record)) {
    await held[Symbol.asyncDispose]()
    return undefined
  }
  return held
}

/** @throws {VplaneError} `FAILED` with what has to be finished before an operation. */
export function refuseOperation(
  { operation, place }: Pick<HoldPlaneOptions, 'operation' | 'place'>,
  record: PlaneRecord,
): void {
  if (operation !== 'remove') {
    const verb = operation === 'create' ? 'start' : operation
    refuseDuring(verb, { ...place, driver: 'kubernetes' }, unfinishedOf(record))
  }
}

/** @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when deleted, `FAILED` when not readable. */
export async function readPlane(
  api: Pick<Host['api'], 'get'>,
  { id, place }: { place: PlacedName; id: Plane['id'] },
  signal: AbortSignal,
): Promise<ReadableRecord> {
  return presentRecord(await readRecord(api, place, { signal }), { id, name: place.name })
}

/** @throws {VplaneError} `FAILED` for an ephemeral plane whose only member has the only data. */
export function refuseDataLoss(
  { name, spec }: Pick<PlaneRecord, 'name' | 'spec'>,
  hints: readonly Hint[],
): void {
  if (spec.ephemeral && !hasEphemeralMembers(spec)) {
    throw new VplaneError(
      'FAILED',
      `"${name}" is ephemeral: its data is in the pod of ${storeOf(spec).component}, and is lost when that pod is replaced`,
      { hints },
    )
  }
}
