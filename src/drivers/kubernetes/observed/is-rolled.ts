import { fieldAt, recordAt } from '../../../shared/json-fields.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { isObserved, wantedReplicas } from './workloads.ts'
import { isReadyPod } from './observed-plane.ts'
import type { RestoredPods } from '../record/plane-record.ts'

/**
 * Whether all pods of a Deployment match its current template and are ready, and no older ones exist. False without
 * pods, and until the host has observed the last change.
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
 * Returns the pods of a StatefulSet that its current template did not create, except those that a restore has accepted.
 * Valid once `isObserved`.
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
 * Returns the revisions of the pods of a StatefulSet after a restore, once its template is the ordinary one again;
 * undefined when the current template created all of them. Valid once `isObserved`.
 */
export function restoredPods(
  statefulSet: KubeObject,
  pods: readonly KubeObject[],
): RestoredPods | undefined {
  const like = String(fieldAt(statefulSet, 'status', 'updateRevision'))
  const made = pods.map(revisionOf).find((revision) => revision !== like)
  return made === undefined ? undefined : { made, like }
}

/** Whether a StatefulSet has all of its pods, each ready and from its current template. */
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
  return metadata.labels?.['controller-revision-hash']
}
