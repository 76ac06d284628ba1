import { isLeaving, type KubeObject, conditionOf } from '../../../shared/kube/kube-object.ts'
import { COMPONENT_LABEL, PLANE_LABEL } from '../../../manifests/object-names.ts'
import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import { collectionPath, type Resource } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlacedName, planeSelector, RECORD_TYPE } from '../context/object-names.ts'
import { storedRecordOf, type StoredRecord } from '../record/record-store.ts'
import { fieldAt, recordsAt } from '../../../shared/json-fields.ts'

/** The state of a plane on the host at one moment. */
export interface ObservedPlane {
  /** undefined when it was deleted. */
  stored: StoredRecord | undefined
  /** The StatefulSet or the Deployment of a component; undefined when it is missing. */
  workload: (component: AnyComponentName) => KubeObject | undefined
  pods: (component: AnyComponentName) => KubeObject[]
}

/** Reads the record, the pods and the workloads of one plane. */
export async function observePlane(
  api: Pick<HostApi, 'list'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<ObservedPlane> {
  const observed = await observePlanes(api, { namespace, names: [name], signal })
  return observed({ name, namespace })
}

export interface ObserveOptions {
  /** @default all namespaces */
  namespace?: string
  names: readonly string[]
  signal: AbortSignal
}

/** Reads several planes with as many requests as one plane needs; the result returns each of them. */
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
 * Whether a pod is ready, and is not being deleted. The kubelet probes `/readyz` of kube-apiserver every 3 s, and two
 * failures make it unready.
 */
export function isReadyPod(pod: KubeObject): boolean {
  return conditionOf(pod, 'Ready')?.['status'] === 'True' && !isLeaving(pod)
}

/** Returns when the running containers of a pod were last started. */
export function containerStarts(pod: KubeObject): number[] {
  return recordsAt(pod, 'status', 'containerStatuses').flatMap((container) => {
    const time = Date.parse(String(fieldAt(container, 'state', 'running', 'startedAt')))
    return Number.isNaN(time) ? [] : [time]
  })
}

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
