import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import { collectionPath, type Resource } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { KEEPER_SELECTOR, type PlacedName, planeSelector } from '../context/object-names.ts'
import { componentOf, type Workload, workloadsOf } from '../host/workload.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import { isObserved } from '../observed/workloads.ts'
import { isVolumeClaim, type VolumeClaim } from './volumes/claim-problem.ts'
import { failedCondition, type HostEvent, isEvent, isPod, type Pod } from '../host/host-pod.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** Label on the objects of a Deployment: identifies their template. */
const TEMPLATE_HASH = 'pod-template-hash'

/** Annotation of a ReplicaSet: the newest one of a Deployment has the highest number. */
const REVISION = 'deployment.kubernetes.io/revision'

/** Events of healthy pods, which explain no problem. */
const ORDINARY = [
  'Completed',
  'Created',
  'Killing',
  'Pulled',
  'Pulling',
  'SawCompletedJob',
  'ScalingReplicaSet',
  'Scheduled',
  'Started',
  'SuccessfulCreate',
  'SuccessfulDelete',
]

export interface Evidence {
  pods: (component: AnyComponentName) => Pod[]
  superseded: readonly Pod[]
  workloads: (component: AnyComponentName) => Workload[]
  claims: (component: AnyComponentName) => VolumeClaim[]
  /** Empty when all components run. */
  events: HostEvent[]
}

/** Reads all objects of a plane that may explain why a component does not run. */
export async function collectEvidence(
  api: Pick<HostApi, 'list'>,
  { name, namespace, signal }: PlacedName & { signal: AbortSignal },
): Promise<Evidence> {
  const list = async (resource: Resource, selection: Parameters<HostApi['list']>[1]) =>
    (await unlessRefused(api.list(collectionPath(resource, namespace), { ...selection, signal })))
      ?.items ?? []
  const labelSelector = planeSelector(name)
  const listAll = async (resource: Resource) =>
    (
      await Promise.all([
        list(resource, { labelSelector }),
        list(resource, { labelSelector: KEEPER_SELECTOR }),
      ])
    ).flat()
  const [pods, claims, ...workloads] = await Promise.all([
    listAll('pods'),
    list('persistentvolumeclaims', { labelSelector }),
    list('statefulsets', { labelSelector }),
    listAll('deployments'),
  ])
  const found = {
    pods: pods.filter(isPod),
    claims: claims.filter(isVolumeClaim),
    workloads: workloadsOf(workloads.flat()),
  }
  const fieldSelector = ORDINARY.map((reason) => `reason!=${reason}`).join(',')
  const [replicaSets = [], events = []] = needsEvents(found)
    ? await Promise.all([listAll('replicasets'), list('events', { fieldSelector })])
    : []
  return {
    pods: byComponent(found.pods),
    superseded: supersededPods(found.pods, { workloads: found.workloads, replicaSets }),
    claims: byComponent(found.claims),
    workloads: byComponent(found.workloads),
    events: events.filter(isEvent),
  }
}

/** Whether to read events and ReplicaSets: events cannot be selected by plane, and a namespace may have many. */
function needsEvents({
  claims,
  pods,
  workloads,
}: {
  pods: Pod[]
  claims: VolumeClaim[]
  workloads: Workload[]
}): boolean {
  const isFailing = (pod: Pod) =>
    ['Ready', 'PodScheduled'].some((type) => failedCondition(pod, type) !== undefined)
  return (
    pods.some(isFailing) ||
    claims.some(({ status }) => status?.phase === 'Pending') ||
    workloads.some(({ spec, status }) => (status?.replicas ?? 0) < (spec?.replicas ?? 1))
  )
}

/**
 * Pods of former templates of Deployments exist until new ones are ready; a change may have repaired their problems.
 * Returns none without `replicaSets`. Pods of StatefulSets are not superseded: only vplane or a user deletes them.
 */
function supersededPods(
  pods: readonly Pod[],
  {
    replicaSets,
    workloads,
  }: { workloads: readonly KubeObject[]; replicaSets: readonly KubeObject[] },
): Pod[] {
  return workloads
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap((deployment) => {
      const isOfDeployment = (one: KubeObject) => componentOf(one) === componentOf(deployment)
      const own = pods.filter(isOfDeployment)
      if (!isObserved(deployment)) {
        return own
      }
      const [newest] = replicaSets
        .filter(isOfDeployment)
        .toSorted((a, b) => revisionOf(b) - revisionOf(a))
      return newest === undefined ? [] : own.filter((pod) => hashOf(pod) !== hashOf(newest))
    })
}

function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.[REVISION] ?? 0)
}

function hashOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[TEMPLATE_HASH]
}

function byComponent<T extends KubeObject>(objects: readonly T[]): (name: AnyComponentName) => T[] {
  return (name) => objects.filter((object) => componentOf(object) === name)
}
