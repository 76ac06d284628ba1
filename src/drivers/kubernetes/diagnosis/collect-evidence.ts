import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import { collectionPath, type Resource } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlacedName, planeSelector } from '../context/object-names.ts'
import { componentOf } from '../host/workload.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import { isVolumeClaim, type VolumeClaim } from './volumes/claim-problem.ts'
import { isMaker, type Maker } from './creation-problem.ts'
import { failedCondition, type HostNote, isNote, isPod, type Pod } from '../host/host-pod.ts'
import { supersededPods } from './superseded-pods.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** What healthy pods come with in any namespace: many notes that explain nothing. */
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

/** What the host has of a plane, by component. */
export interface Surroundings {
  pods: (component: AnyComponentName) => Pod[]
  /** Those of `pods` that the host replaces, see `supersededPods`. */
  superseded: readonly Pod[]
  makers: (component: AnyComponentName) => Maker[]
  claims: (component: AnyComponentName) => VolumeClaim[]
  /** What the host noted in the namespace; empty when nothing asks for an explanation. */
  notes: HostNote[]
}

interface Options extends PlacedName {
  signal: AbortSignal
}

/** Looks at everything of a plane that could say why something does not run. */
export async function collectEvidence(
  api: Pick<HostApi, 'list'>,
  { name, namespace, signal }: Options,
): Promise<Surroundings> {
  const list = async (resource: Resource, selection: Parameters<HostApi['list']>[1]) =>
    (await unlessRefused(api.list(collectionPath(resource, namespace), { ...selection, signal })))
      ?.items ?? []
  const labelSelector = planeSelector(name)
  const [pods, claims, ...workloads] = await Promise.all([
    list('pods', { labelSelector }),
    list('persistentvolumeclaims', { labelSelector }),
    list('statefulsets', { labelSelector }),
    list('deployments', { labelSelector }),
  ])
  const found = {
    pods: pods.filter(isPod),
    claims: claims.filter(isVolumeClaim),
    makers: workloads.flat().filter(isMaker),
  }
  const fieldSelector = ORDINARY.map((reason) => `reason!=${reason}`).join(',')
  const [replicaSets = [], notes = []] = isPuzzling(found)
    ? await Promise.all([list('replicasets', { labelSelector }), list('events', { fieldSelector })])
    : []
  const superseded = supersededPods(found.pods, { workloads: found.makers, replicaSets })
  return {
    pods: byComponent(found.pods),
    superseded,
    claims: byComponent(found.claims),
    makers: byComponent(found.makers),
    notes: notes.filter(isNote),
  }
}

/** Whether notes and ReplicaSets may say more: notes of a namespace cannot be selected by plane, and may be many. */
function isPuzzling({
  claims,
  makers,
  pods,
}: {
  pods: Pod[]
  claims: VolumeClaim[]
  makers: Maker[]
}): boolean {
  return (
    pods.some((pod) => failedCondition(pod, 'Ready') !== undefined || isUnscheduled(pod)) ||
    claims.some(({ status }) => status?.phase === 'Pending') ||
    makers.some(({ spec, status }) => (status?.replicas ?? 0) < (spec?.replicas ?? 1))
  )
}

function isUnscheduled(pod: Pod): boolean {
  return failedCondition(pod, 'PodScheduled') !== undefined
}

function byComponent<T extends KubeObject>(objects: readonly T[]): (name: AnyComponentName) => T[] {
  return (name) => objects.filter((object) => componentOf(object) === name)
}
