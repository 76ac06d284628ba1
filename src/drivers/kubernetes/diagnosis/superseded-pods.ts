import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { componentOf } from '../host/workload.ts'
import { isObserved } from '../observed/workloads.ts'
import type { Pod } from '../host/host-pod.ts'

/** On what a Deployment has made: by which of its templates. */
const TEMPLATE_HASH = 'pod-template-hash'

/** On a ReplicaSet: how many templates its Deployment had when it had this one, the newest of them. */
const REVISION = 'deployment.kubernetes.io/revision'

/**
 * Those of a plane's pods that the host replaces: another template than their Deployment has now made them, which a change
 * may have mended. They stay until others are ready, and what keeps them from running says nothing of these. None where
 * `replicaSets` cannot be had. Pods of StatefulSets stay as they are until somebody ends them.
 */
export function supersededPods(
  pods: readonly Pod[],
  {
    replicaSets,
    workloads,
  }: { workloads: readonly KubeObject[]; replicaSets: readonly KubeObject[] },
): Pod[] {
  return workloads
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap((deployment) => {
      const isOfIt = (one: KubeObject) => componentOf(one) === componentOf(deployment)
      const own = pods.filter(isOfIt)
      if (!isObserved(deployment)) {
        return own
      }
      const newest = replicaSets.filter(isOfIt).toSorted((a, b) => revisionOf(b) - revisionOf(a))[0]
      return newest === undefined ? [] : own.filter((pod) => hashOf(pod) !== hashOf(newest))
    })
}

function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.[REVISION] ?? 0)
}

function hashOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[TEMPLATE_HASH]
}
