import { httpStatusOf } from '../../../kube/kube-error.ts'
import { isLeaving, type KubeObject, conditionOf } from '../../../shared/kube/kube-object.ts'
import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import { PLANE_LABEL } from '../../../manifests/object-names.ts'
import { ENDPOINTS, KEEPER_STATUSES, namedReader } from './named-reader.ts'
import { collectionPath, type Resource } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import {
  ANY_PLANE_SELECTOR,
  KEEPER_SELECTOR,
  type PlacedName,
  planeSelector,
  RECORD_TYPE,
} from '../context/object-names.ts'
import { componentOf } from '../host/workload.ts'
import { isReadableRecord, storedRecordOf, type StoredRecord } from '../record/record-store.ts'
import type { Selection } from '../../../kube/client/query.ts'
import { fieldAt, recordsAt } from '../../../shared/json-fields.ts'

export interface ObservedPlane {
  /** undefined when it was deleted. */
  stored: StoredRecord | undefined
  /** The StatefulSet or Deployment of a component; undefined among many planes if the plane is paused and has no pods. */
  workload: (component: AnyComponentName) => KubeObject | undefined
  pods: (component: AnyComponentName) => KubeObject[]
  /** Reads the Service that is its endpoint; undefined when it does not exist. */
  endpoint: () => Promise<KubeObject | undefined>
  /** Reads the ConfigMap in which its keeper reports; undefined when it does not exist. */
  keeperStatus: () => Promise<KubeObject | undefined>
}

/** Reads the record, the pods and the workloads of one plane. */
export async function observePlane(
  api: Pick<HostApi, 'get' | 'list'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<ObservedPlane> {
  const observed = await observePlanes(api, { namespace, names: [name], signal })
  return observed({ name, namespace })
}

interface ObserveOptions {
  /** @default all namespaces */
  namespace?: string
  names: readonly string[]
  signal: AbortSignal
}

/** Proxies between vplane and a host limit how long an address is. */
const MOST_NAMES = 50

/** Of so many planes, what has a name of its own is read by its name: what an operator has seen needs no request then. */
const FEW_NAMES = 10

/**
 * Needs as many requests for several planes as for one; two more for the keepers of their namespaces, and one more for
 * the endpoints of many planes and for the reports of their keepers, if these are read. Of many planes, most may be paused,
 * and the workloads of a thousand are 24 MB.
 */
async function observePlanes(
  api: Pick<HostApi, 'get' | 'list'>,
  { names, namespace, signal }: ObserveOptions,
): Promise<(plane: PlacedName) => ObservedPlane> {
  const unique = new Set(names)
  const labelSelector = selectorOf(unique)
  const list = async (resource: Resource, selection: Selection) =>
    (await api.list(collectionPath(resource, namespace), { ...selection, signal })).items
  const listWorkloads = async (of: ReadonlySet<string>) => {
    const selection = { labelSelector: selectorOf(of) }
    return of.size === 0
      ? []
      : Promise.all([list('statefulsets', selection), list('deployments', selection)])
  }
  const [records, pods, workloadsOfFew] = await Promise.all([
    list('secrets', { labelSelector, fieldSelector: `type=${RECORD_TYPE}` }),
    list('pods', { labelSelector }),
    unique.size > MOST_NAMES ? undefined : listWorkloads(unique),
  ])
  const stored = records.flatMap((record) => storedRecordOf(record) ?? [])
  const workloads = workloadsOfFew ?? (await listWorkloads(namesOfActive(stored, pods)))
  const storedByPlace = new Map(stored.map((one) => [`${one.namespace}/${one.name}`, one]))
  const shared = { labelSelector: KEEPER_SELECTOR, signal }
  const [keepers, keeperPods] = await Promise.all(
    (['deployments', 'pods'] as const).map(async (resource) =>
      stored.some(hasKeeper)
        ? (await api.list(collectionPath(resource, namespace), shared)).items
        : [],
    ),
  )
  const workloadsOf = byComponent([...workloads.flat(), ...(keepers ?? [])])
  const podsOf = byComponent([...pods, ...(keeperPods ?? [])])
  const reads = { isMany: unique.size > FEW_NAMES, namespace, selector: labelSelector, signal }
  const endpointOf = namedReader(api, { ...ENDPOINTS, ...reads })
  const keeperStatusOf = namedReader(api, { ...KEEPER_STATUSES, ...reads })
  return (plane) => ({
    endpoint: () => endpointOf(plane),
    keeperStatus: () => keeperStatusOf(plane),
    stored: storedByPlace.get(`${plane.namespace}/${plane.name}`),
    workload: (component) => workloadsOf(plane, component)[0],
    pods: (component) => podsOf(plane, component),
  })
}

function selectorOf(names: ReadonlySet<string>): string {
  return names.size > MOST_NAMES ? ANY_PLANE_SELECTOR : planeSelector(...names)
}

/** The names of the planes that run, have pods, or are changed at the moment. */
function namesOfActive(
  stored: readonly StoredRecord[],
  pods: readonly KubeObject[],
): ReadonlySet<string> {
  const withPods = new Set(pods.map(({ metadata }) => metadata.labels?.[PLANE_LABEL]))
  const isActive = (one: StoredRecord) =>
    withPods.has(one.name) ||
    !isReadableRecord(one) ||
    one.record.desired !== 'paused' ||
    one.record.journal !== undefined
  return new Set(stored.filter((one) => isActive(one)).map(({ name }) => name))
}

function hasKeeper(stored: StoredRecord): boolean {
  return isReadableRecord(stored) && stored.record.spec.host?.keeper !== undefined
}

/** Up to this many namespaces are read one by one, more of them with one request for all namespaces. */
const FEW = 3

/** What is observed where nothing is. */
export const NOTHING: ObservedPlane = {
  stored: undefined,
  workload: () => undefined,
  pods: () => [],
  endpoint: async () => undefined,
  keeperStatus: async () => undefined,
}

type ObservePlane = (plane: PlacedName) => ObservedPlane

/** Reads planes together that are requested at the same moment, as by a list. */
export class PlaneObserver {
  #requested: PlacedName[] = []
  #next: Promise<ObservePlane> | undefined

  async at(
    api: Pick<HostApi, 'get' | 'list'>,
    plane: PlacedName,
    signal: AbortSignal,
  ): Promise<ObservedPlane> {
    this.#requested.push(plane)
    this.#next ??= new Promise((resolve) => {
      setImmediate(() => {
        const requested = this.#requested
        this.#requested = []
        this.#next = undefined
        resolve(observeAll(api, requested, signal))
      })
    })
    const observed = await this.#next
    return observed(plane)
  }
}

async function observeAll(
  api: Pick<HostApi, 'get' | 'list'>,
  planes: readonly PlacedName[],
  signal: AbortSignal,
): Promise<ObservePlane> {
  const namespaces = [...new Set(planes.map(({ namespace }) => namespace))]
  if (namespaces.length > FEW) {
    try {
      return await observePlanes(api, { names: planes.map(({ name }) => name), signal })
    } catch (error) {
      if (httpStatusOf(error) !== 403) {
        throw error
      }
      // A user who may not read all namespaces may be allowed to read some.
    }
  }
  const observations = await Promise.all(
    namespaces.map(async (namespace) => {
      const names = planes.filter((plane) => plane.namespace === namespace).map(({ name }) => name)
      return [namespace, await observePlanes(api, { namespace, names, signal })] as const
    }),
  )
  const byNamespace = new Map(observations)
  return (plane) => byNamespace.get(plane.namespace)?.(plane) ?? NOTHING
}

/** The kubelet probes `/readyz` of kube-apiserver every 3 s; two failures make its pod unready. */
export function isReadyPod(pod: KubeObject): boolean {
  return conditionOf(pod, 'Ready')?.['status'] === 'True' && !isLeaving(pod)
}

/** When the running containers of a pod were last started. */
export function containerStarts(pod: KubeObject): number[] {
  return recordsAt(pod, 'status', 'containerStatuses').flatMap((container) => {
    const time = Date.parse(String(fieldAt(container, 'state', 'running', 'startedAt')))
    return Number.isNaN(time) ? [] : [time]
  })
}

/** Finds the objects of a component of a plane, also those that the planes of its namespace share. */
function byComponent(
  objects: readonly KubeObject[],
): (plane: PlacedName, component: AnyComponentName) => KubeObject[] {
  const keyOf = (namespace = '', component = '', plane = '') => `${namespace} ${component} ${plane}`
  const byKey = Map.groupBy(objects, (object) => {
    const { labels, namespace } = object.metadata
    return keyOf(namespace, componentOf(object), labels?.[PLANE_LABEL])
  })
  return ({ name, namespace }, component) =>
    [name, undefined].flatMap((plane) => byKey.get(keyOf(namespace, component, plane)) ?? [])
}
