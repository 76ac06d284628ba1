import { isLeaving, type KubeObject, conditionOf } from '../../../shared/kube/kube-object.ts'
import { COMPONENT_LABEL, PLANE_LABEL } from '../../../manifests/object-names.ts'
import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import { collectionPath, type Resource } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlacedName, planeSelector, RECORD_TYPE } from '../context/object-names.ts'
import { storedRecordOf, type StoredRecord } from '../record/record-store.ts'
import { fieldAt, recordsAt } from '../../../shared/json-fields.ts'

/** What there is of a plane, as the host has it at one moment. */
export interface ObservedPlane {
  /** undefined when it is gone. */
  stored: StoredRecord | undefined
  /** The StatefulSet or the Deployment of a component, if it is there. */
  workload: (component: AnyComponentName) => KubeObject | undefined
  pods: (component: AnyComponentName) => KubeObject[]
}

/** PlaneObserver at the pods of one plane and at what makes them. */
export async function observePlane(
  api: Pick<HostApi, 'list'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<ObservedPlane> {
  const looks = await observePlanes(api, { namespace, names: [name], signal })
  return looks({ name, namespace })
}

export interface ObserveOptions {
  /** @default all namespaces */
  namespace?: string
  names: readonly string[]
  signal: AbortSignal
}

/** PlaneObserver at several planes with as many requests as at one; the result tells them apart. */
export async function observePlanes(
  api: Pick<HostApi, 'list'>,
  { names, namespace, signal }: ObserveOptions,
): Promise<(plane: PlacedName) => ObservedPlane> {
  const options = { labelSelector: planeSelector(...new Set(names)), signal }
  const list = async (resource: Resource, fieldSelector = '') =>
    (await api.list(collectionPath(resource, namespace), { ...options, fieldSelector })).items
  const [records, pods, ...workloads] = await Promise.all([
    list('secrets', `type=${RECORD_TYPE}`),
    list('pods'),
    list('statefulsets'),
    list('deployments'),
  ])
  const stored = records.map(storedRecordOf)
  return (plane) => ({
    stored: stored.find((one) => one?.name === plane.name && one.namespace === plane.namespace),
    workload: (component) => byComponent(plane, workloads.flat())(component)[0],
    pods: byComponent(plane, pods),
  })
}

/**
 * Whether a pod takes requests: it is ready, and not about to end. The kubelet asks each component itself: of kube-apiserver
 * it is `/readyz` every 3 s, and twice without a yes is a no.
 */
export function isReadyPod(pod: KubeObject): boolean {
  return conditionOf(pod, 'Ready')?.['status'] === 'True' && !isLeaving(pod)
}

/** When the containers of a pod were started last that run. */
export function containerStarts(pod: KubeObject): number[] {
  return recordsAt(pod, 'status', 'containerStatuses').flatMap((container) => {
    const time = Date.parse(String(fieldAt(container, 'state', 'running', 'startedAt')))
    return Number.isNaN(time) ? [] : [time]
  })
}

/** The objects of one plane, by the component that they belong to. */
function byComponent(
  { name, namespace }: PlacedName,
  objects: readonly KubeObject[],
): (component: AnyComponentName) => KubeObject[] {
  const own = objects.filter(
    ({ metadata }) => metadata.labels?.[PLANE_LABEL] === name && metadata.namespace === namespace,
  )
  return (component) =>
    own.filter(({ metadata }) => metadata.labels?.[COMPONENT_LABEL] === component)
}
