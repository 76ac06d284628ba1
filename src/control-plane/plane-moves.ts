import { fieldOf, hasFields } from '../shared/stored-format.ts'
import type { Operation } from './driver.ts'
import type { Plane, PlaneMove, PlaneReference } from './plane.ts'

/** What tells the data of two planes apart. */
export interface DataFingerprint {
  /** How many keys there are. */
  keys: number
  /** Of all keys and their values, hexadecimal. */
  sha256: string
}

export interface LeaveRequest {
  to: PlaneReference
  /**
   * Whether the plane that this one was handed over to can be started; as long as it cannot, nobody has written there.
   * Called while the plane is held.
   */
  hasBegun: (handedTo: string) => Promise<boolean>
  /**
   * Called while the plane is held and fenced, with its etcd running: brings its data to where it goes.
   *
   * @param handOver notes for good that the plane of an id has taken its place
   */
  transfer: (handOver: (id: string) => Promise<void>) => Promise<void>
}

export interface ReturnRequest {
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
   * Takes the fence from a plane and starts it where it was, without waiting for the API. A plane that was not fenced
   * stays as it is.
   *
   * @throws {VplaneError} `FAILED` when it was handed over, and what `undo` throws.
   */
  return(plane: Plane, request: ReturnRequest, operation: Operation): Promise<void>
}

/** Tells the record of a move from anything else. */
export function isPlaneMove(value: unknown): value is PlaneMove {
  return (
    hasFields(value, { to: 'object' }) &&
    hasFields(fieldOf(value, 'to'), { name: 'string', driver: 'string' }) &&
    ['string', 'undefined'].includes(typeof fieldOf(value, 'handedTo'))
  )
}
