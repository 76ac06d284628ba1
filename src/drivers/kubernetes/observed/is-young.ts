import { type KubeObject, conditionOf } from '../../../shared/kube/kube-object.ts'
import { containerStarts } from './observed-plane.ts'

/** A pod that was made less than this long ago, in milliseconds, and is not ready is starting, not stuck. */
const START_MS = 60_000

/** Tells whether a pod has not had the time to become ready: it is new, and has not been ready before. */
export function isYoung(pod: KubeObject, now: Date): boolean {
  const madeAt = Date.parse(String(pod.metadata['creationTimestamp']))
  return now.getTime() - madeAt < START_MS && !wasReady(pod)
}

/** How long after its grace period a pod may still be there, in milliseconds. */
const END_MS = 60_000

/** Tells whether a pod is being deleted, and the host has not had the time to end it. */
export function isEnding({ metadata }: KubeObject, now: Date): boolean {
  // The moment at which its grace period is over.
  const endsAt = Date.parse(String(metadata['deletionTimestamp']))
  return now.getTime() - endsAt < END_MS
}

/** Of a pod that never was ready, the host says so since before its containers run; of others, since they stopped being so. */
function wasReady(pod: KubeObject): boolean {
  const changedAt = Date.parse(String(conditionOf(pod, 'Ready')?.['lastTransitionTime']))
  const starts = containerStarts(pod)
  return starts.length > 0 && changedAt > Math.max(...starts)
}
