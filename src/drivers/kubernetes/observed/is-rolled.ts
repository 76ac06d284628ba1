import { fieldAt, recordAt } from '../../../shared/json-fields.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { isObserved, wantedReplicas } from './workloads.ts'
import { isReadyPod } from './observed-plane.ts'
import type { RestoredPods } from '../record/plane-record.ts'

/** Whether all pods of a Deployment are current and ready. False without pods. */
export function isRolled(deployment: KubeObject): boolean {
  const { replicas, updatedReplicas, readyReplicas } = recordAt(deployment, 'status') ?? {}
  const wanted = wantedReplicas(deployment)
  return (
    wanted > 0 &&
    isObserved(deployment) &&
    [replicas, updatedReplicas, readyReplicas].every((count) => count === wanted)
  )
}

/** The pods of a former template that no restore has accepted. Valid once `isObserved`. */
export function stalePods(
  statefulSet: KubeObject,
  pods: readonly KubeObject[],
  restored?: RestoredPods,
): KubeObject[] {
  const updateRevision = fieldAt(statefulSet, 'status', 'updateRevision')
  const current = [updateRevision, ...(restored?.like === updateRevision ? [restored?.made] : [])]
  return pods.filter((pod) => !current.includes(revisionOf(pod)))
}

/** The revisions of pods after a restore; undefined if all are current. Valid once `isObserved`. */
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
