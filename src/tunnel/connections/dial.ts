import type { Duplex } from 'node:stream'
import { VplaneError } from '../../shared/errors.ts'

/**
 * Opens a fresh stream to the kube-apiserver of a plane. What ends a stream early shows as its `error` or `close`.
 *
 * It rejects with `UNREACHABLE` or `TIMED_OUT` for what may be over in a moment, and with any other code when trying
 * again is no use: a login that is needed, a right that is missing, a plane that is gone.
 */
export type Dial = (signal: AbortSignal) => Promise<Duplex>

/** How long the far end of a stream may take to show that it is alive, in milliseconds. */
const PROBE_MS = 5000

/** Has a stream look whether its far end is alive, and end when it is not; streams that cannot look are left alone. */
export function probe(stream: Duplex): void {
  if ('probe' in stream && typeof stream.probe === 'function') {
    stream.probe(PROBE_MS)
  }
}

/** Tells a failure to dial that may be over in a moment from one that somebody has to do something about. */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof VplaneError &&
    (error.code === 'UNREACHABLE' || error.code === 'TIMED_OUT' || error.code === 'ABORTED')
  )
}
