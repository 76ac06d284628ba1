import { isVplaneError } from '../../shared/errors.ts'
import { acquireFileLock, tryFileLock } from '../../shared/files/file-lock.ts'

/** Clients are refused from the end of a keeper until the next one listens. */
const INTERVAL_MS = 100

export interface KeeperTurn {
  /** The file that the only keeper holds locked. */
  lock: string
  /** The file that the one who waits for its end holds locked. */
  next: string
  /** How long to wait for another one that waits, in milliseconds; 0 does not wait at all. */
  waitMs: number
  signal: AbortSignal
}

/** A keeper that ends waits for its last pause, and that one for changes of the plane and for its components. */
const ENDING_MS = 1_800_000

/**
 * Holds the lock of the only keeper, which ends while another one waits. Undefined when another one waits for too long
 * already, or this one is not to wait, and when the signal fires.
 * @throws {VplaneError} `FAILED` when a file cannot be created.
 */
export async function takeTurn({
  lock,
  next,
  signal,
  waitMs,
}: KeeperTurn): Promise<AsyncDisposable | undefined> {
  const held = tryFileLock(lock)
  if (held !== undefined || waitMs === 0) {
    return held
  }
  const waiting = { what: 'another keeper', timeoutMs: waitMs, intervalMs: INTERVAL_MS, signal }
  try {
    await using _next = await acquireFileLock(next, waiting)
    return await acquireFileLock(lock, { ...waiting, timeoutMs: ENDING_MS })
  } catch (error) {
    if (isVplaneError(error, 'ABORTED', 'TIMED_OUT')) {
      return undefined
    }
    throw error
  }
}
