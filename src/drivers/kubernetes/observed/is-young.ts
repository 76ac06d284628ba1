import { type KubeObject, conditionOf } from '../../../shared/kube/kube-object.ts'
import { containerStarts } from './observed-plane.ts'

/** A pod that is not ready is starting, not stuck, for this long after its creation, in milliseconds. */
const START_MS = 60_000

/** Whether a pod is new and has not been ready yet. */
export function isYoung(pod: KubeObject, now: Date): boolean {
  const createdAt = Date.parse(String(pod.metadata['creationTimestamp']))
  return now.getTime() - createdAt < START_MS && !wasReady(pod)
}

/** How long a pod may exist after its grace period, in milliseconds. */
const END_MS = 60_000

/** Whether a pod is being deleted, and the host may still end it in time. */
export function isEnding({ metadata }: KubeObject, now: Date): boolean {
  // The API server sets this to the end of the grace period.
  const endsAt = Date.parse(String(metadata['deletionTimestamp']))
  return now.getTime() - endsAt < END_MS
}

/** The condition `Ready` of a pod that was never ready changed last before its containers started. */
function wasReady(pod: KubeObject): boolean {
  const changedAt = Date.parse(String(conditionOf(pod, 'Ready')?.['lastTransitionTime']))
  const starts = containerStarts(pod)
  return starts.length > 0 && changedAt > Math.max(...starts)
}
