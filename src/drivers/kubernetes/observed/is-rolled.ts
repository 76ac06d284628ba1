import { fieldAt, recordAt } from '../../../shared/json-fields.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { isObserved, wantedReplicas } from './workloads.ts'
import { isReadyPod } from './observed-plane.ts'
import type { RestoredPods } from '../record/plane-record.ts'

/** On a pod of a StatefulSet: the revision of the template that it was made by. */
const REVISION = 'controller-revision-hash'

/**
 * Tells whether all pods of a Deployment are of its template as it is now, and ready, and none of before is left. What the
 * host has not looked at yet is not: nor is a Deployment without pods.
 */
export function isRolled(deployment: KubeObject): boolean {
  const { replicas, updatedReplicas, readyReplicas } = recordAt(deployment, 'status') ?? {}
  const wanted = wantedReplicas(deployment)
  return (
    wanted > 0 &&
    isObserved(deployment) &&
    [replicas, updatedReplicas, readyReplicas].every((count) => count === wanted)
  )
}

/**
 * The pods of a StatefulSet that were made by another template than it has now, but for what a restore was done by.
 * Meaningful once `isObserved`.
 */
export function stalePods(
  statefulSet: KubeObject,
  pods: readonly KubeObject[],
  restored?: RestoredPods,
): KubeObject[] {
  const updateRevision = fieldAt(statefulSet, 'status', 'updateRevision')
  const current = [updateRevision, ...(restored?.like === updateRevision ? [restored?.made] : [])]
  return pods.filter((pod) => !current.includes(revisionOf(pod)))
}

/**
 * By which revisions a StatefulSet has made its pods, when that was for a restore and its template is the ordinary one
 * again; undefined when all are of that. Meaningful once `isObserved`.
 */
export function restoredPods(
  statefulSet: KubeObject,
  pods: readonly KubeObject[],
): RestoredPods | undefined {
  const like = String(fieldAt(statefulSet, 'status', 'updateRevision'))
  const made = pods.map(revisionOf).find((revision) => revision !== like)
  return made === undefined ? undefined : { made, like }
}

/** Tells whether a StatefulSet has all of its pods, each by its template as it is now, and ready. */
export function areMembersReady(
  statefulSet: KubeObject,
  pods: readonly KubeObject[],
  restored?: RestoredPods,
): boolean {
  const wanted = wantedReplicas(statefulSet)
  return (
    wanted > 0 &&
    isObserved(statefulSet) &&
    pods.length === wanted &&
    pods.every(isReadyPod) &&
    stalePods(statefulSet, pods, restored).length === 0
  )
}

function revisionOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[REVISION]
}
