import type { HostObject } from '../host-api.ts'

/** A pod that was made less than this long ago, in milliseconds, and is not ready is starting, not stuck. */
const START_MS = 60_000

/** Tells whether a pod has not had the time to become ready. */
export function isYoung({ metadata }: HostObject, now: Date): boolean {
  return now.getTime() - Date.parse(String(metadata['creationTimestamp'])) < START_MS
}
