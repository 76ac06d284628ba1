import { hasFields } from '../../shared/stored-format.ts'
import { type DataFingerprint, isDataFingerprint } from '../plane/data-fingerprint.ts'
import type { Operation } from './operation.ts'
import type { Plane, PlaneMove, PlaneReference } from '../plane/plane.ts'
import { fieldAt } from '../../shared/json-fields.ts'

/** Notes for good that the plane of an id, which has all of this data, has taken the place of the one that leaves. */
export type HandOver = (id: string, data: DataFingerprint) => Promise<void>

export interface LeaveRequest {
  to: PlaneReference
  /**
   * Whether the plane that this one was handed over to can be started; as long as it cannot, nobody has written there.
   * Called while the plane is held.
   */
  hasBegun: (handedTo: string) => Promise<boolean>
  /**
   * Called while the plane is held and fenced, with its etcd running: brings its data to where it goes.
   */
  transfer: (handOver: HandOver) => Promise<void>
}

export interface TakeBackRequest {
  /** Id of the plane that was handed over to this one. */
  movingFrom: string
  /** What that one had then. */
  handed: DataFingerprint
}

export interface ReturnRequest {
  /**
   * Called while the plane is held, when it was handed over: has the plane there wait for its data again.
   *
   * @throws {VplaneError} `FAILED` when somebody may have written there.
   */
  takeBack: (move: PlaneMove) => Promise<void>
  /** Called while the plane is held, before it can be used again: removes what there is of it elsewhere. */
  undo: () => Promise<void>
}

/** What a driver does with a plane that leaves it. */
export interface PlaneMoves {
  /**
   * Counts and hashes what etcd of a plane stores now, but for keys that end by themselves, such as those of Events.
   *
   * @throws {VplaneError} `FAILED` when no etcd of it runs, `UNREACHABLE` when it cannot be asked.
   */
  fingerprint(plane: Plane, signal: AbortSignal): Promise<DataFingerprint>

  /**
   * Fences a plane, so that nobody writes into it and nothing starts it again, lets its data be brought to another place,
   * and stops it. One that was cut off goes on; nothing is transferred again once the plane there has begun.
   *
   * @throws {VplaneError} `FAILED` when it is half made, half restored or half deleted, and what `transfer` throws.
   */
  leave(plane: Plane, request: LeaveRequest, operation: Operation): Promise<void>

  /**
   * Stops a plane that another one was handed over to, and lets it wait for the data of that one again, when nothing was
   * written into it since. One that somebody has used goes on as it was.
   *
   * @returns false when somebody has written there, or somebody works on it.
   * @throws {VplaneError} `COMPONENT_FAILED` and `TIMED_OUT` when its etcd does not run, so that nobody can tell.
   */
  takeBack(plane: Plane, request: TakeBackRequest, operation: Operation): Promise<boolean>

  /**
   * Takes the fence from a plane and starts it where it was, without waiting for the API, unless it was paused before. A
   * plane that was not fenced stays as it is.
   *
   * @throws {VplaneError} what `takeBack` and `undo` throw.
   */
  return(plane: Plane, request: ReturnRequest, operation: Operation): Promise<void>
}

/** What is recorded of the move of a plane that is fenced, before it is handed over. */
export function moveOf(
  { desired, movingTo }: { desired: string; movingTo?: PlaneMove | undefined },
  to: PlaneReference,
): PlaneMove {
  const wasPaused = movingTo === undefined ? desired !== 'running' : movingTo.wasPaused === true
  return { to, ...(wasPaused ? { wasPaused } : {}) }
}

/** Tells the record of a move from anything else. */
export function isPlaneMove(value: unknown): value is PlaneMove {
  return (
    hasFields(value, { to: 'object' }) &&
    hasFields(fieldAt(value, 'to'), { name: 'string', driver: 'string' }) &&
    ['string', 'undefined'].includes(typeof fieldAt(value, 'handedTo')) &&
    ['boolean', 'undefined'].includes(typeof fieldAt(value, 'wasPaused')) &&
    (fieldAt(value, 'handed') === undefined || isDataFingerprint(fieldAt(value, 'handed')))
  )
}
