import { isRecord } from '../../../kube/kube-object.ts'
import type { HostObject } from '../host-api.ts'
import { containerStarts, readyCondition } from './look.ts'

/** A pod that was made less than this long ago, in milliseconds, and is not ready is starting, not stuck. */
const START_MS = 60_000

/** Tells whether a pod has not had the time to become ready: it is new, and has not been ready before. */
export function isYoung(pod: HostObject, now: Date): boolean {
  const madeAt = Date.parse(String(pod.metadata['creationTimestamp']))
  return now.getTime() - madeAt < START_MS && !wasReady(pod)
}

/** Of a pod that never was ready, the host says so since before its containers run; of others, since they stopped being so. */
function wasReady(pod: HostObject): boolean {
  const condition = readyCondition(pod)
  const changedAt = isRecord(condition) ? Date.parse(String(condition['lastTransitionTime'])) : NaN
  const starts = containerStarts(pod)
  return starts.length > 0 && changedAt > Math.max(...starts)
}
