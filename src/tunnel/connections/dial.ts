import type { Duplex } from 'node:stream'
import { isVplaneError } from '../../shared/errors.ts'

/**
 * Opens a fresh stream to the kube-apiserver of a plane. An interrupted stream emits `error` or `close`.
 *
 * It rejects with `UNREACHABLE` or `TIMED_OUT` for a transient failure, and with any other code when a retry cannot help: a
 * login is needed, a right is missing, or the plane is deleted.
 */
export type Dial = (signal: AbortSignal) => Promise<Duplex>

/** How long the far end of a stream may take to answer a probe, in milliseconds. */
const PROBE_MS = 5000

/** Has a stream check whether its far end is alive, and end if not. Does nothing for streams without `probe`. */
export function probe(stream: Duplex): void {
  if ('probe' in stream && typeof stream.probe === 'function') {
    stream.probe(PROBE_MS)
  }
}

/** Whether a failure to dial is transient, and not one that needs an action of the user. */
export function isTransient(error: unknown): boolean {
  return isVplaneError(error, 'UNREACHABLE', 'TIMED_OUT', 'ABORTED')
}
