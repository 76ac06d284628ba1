import type { SchedulerChoice } from '../../control-plane/spec/fields/host-spec.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { type Json, recordAt, recordsAt, textAt } from '../../shared/json-fields.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { isVirtual, VIRTUAL_LABEL } from '../translate/markers.ts'
import { picked } from '../translate/reading.ts'
import { withNodeMarks } from './node-marks.ts'

export interface NodeSettings {
  /** Host name by which the plane's kube-apiserver reaches the kubelets. */
  endpoint: string
  portOf: (node: string) => number
  /** The plane's version, since another version of nodes would look like a version skew. */
  kubernetesVersion: string
  /** Which scheduler assigns pods to nodes. @default host */
  scheduler?: SchedulerChoice | undefined
}

interface NodeState {
  /** The existing node, with the times of its conditions. */
  known?: KubeObject | undefined
  /** The node of the host. @default the syncer may not read the host's nodes */
  host?: KubeObject | undefined
  /** The address of the host node, as its pods show it. @default that of the existing node */
  address?: string | undefined
  now: Date
}

interface ShownNode {
  labels: Record<string, string>
  /** For information: the host applies them. */
  taints: Json[]
  addresses: Json[]
  nodeInfo: Json
  status: Json
}

type VirtualNode = KubeObject & { spec: { taints?: Json[] }; status: Json }

/** A nominal capacity, as kube-apiserver formats it: the host schedules pods, and knows the real one. */
const CAPACITY = { cpu: '64', memory: '256Gi', 'ephemeral-storage': '1Ti', pods: '1k' }

/** Tells a scheduler of the plane that the host node is cordoned; `unschedulable` is left to the plane's users. */
const HOST_CORDON = { key: 'vplane.dev/host-unschedulable', effect: 'NoSchedule' }

const ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch

/** Copied to the plane; not `declaredFeatures`, which belong to the host's kubelet. */
const STATUS = ['allocatable', 'capacity', 'conditions']

const NODE_INFO = [
  'architecture',
  'bootID',
  'containerRuntimeVersion',
  'kernelVersion',
  'kubeProxyVersion',
  'machineID',
  'operatingSystem',
  'osImage',
  'systemUUID',
]

/** Taints that each cluster's own controllers manage for conditions and cordons, also those of the plane. */
const OF_CONTROLLERS = 'node.kubernetes.io/'

/** The node of the plane for a host node of the same name, with its state as far as the syncer may read it. */
export function virtualNode(
  name: string,
  { endpoint, kubernetesVersion, portOf, scheduler }: NodeSettings,
  state: NodeState,
): VirtualNode {
  const { host } = state
  const shown = host === undefined ? nominalNode(name, state) : shownOf(host)
  const { addresses, labels, nodeInfo, status } = shown
  const isClosed = scheduler === 'virtual' && host !== undefined && isCordoned(host)
  const taints = [...shown.taints, ...(isClosed ? [HOST_CORDON] : [])]
  return withNodeMarks({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...labels, [VIRTUAL_LABEL]: 'true' } },
    spec: taints.length === 0 ? {} : { taints },
    status: {
      ...status,
      // This name leads to any syncer that serves: kube-apiserver is configured to prefer it.
      addresses: [{ type: 'Hostname', address: endpoint }, ...addresses],
      daemonEndpoints: { kubeletEndpoint: { Port: portOf(name) } },
      nodeInfo: { ...nodeInfo, kubeletVersion: `v${kubernetesVersion}` },
    },
  })
}

/** The part of a host node that the syncer caches, without images and volumes, which are most of its size. */
export function cachedNode({ apiVersion, kind, metadata, ...fields }: KubeObject): KubeObject {
  const status = recordAt(fields, 'status') ?? {}
  const { labels = {}, name = '' } = metadata
  return {
    apiVersion,
    kind,
    metadata: { name, labels },
    spec: picked(recordAt(fields, 'spec') ?? {}, ['taints', 'unschedulable']),
    status: picked(status, [...STATUS, 'addresses', 'nodeInfo']),
  }
}

/** The conditions of a node whose host node was deleted: it is not ready, and the others stay. */
export function lostNodeConditions(known: KubeObject, now: Date): Json[] {
  const lost = {
    type: 'Ready',
    status: 'False',
    reason: 'HostNodeGone',
    message: 'the host cluster no longer has a node with this name',
  }
  const others = conditionsOf(known).filter(({ type }) => type !== lost.type)
  return [...others, withTimes(lost, known, now)]
}

/** Whether a node is cordoned. */
export function isCordoned(node: KubeObject): boolean {
  return recordAt(node, 'spec')?.['unschedulable'] === true
}

/** The sorted names of nodes that must not get new pods of the plane. */
export function cordonedNodes({ virtual }: SyncContext['nodes']): string[] {
  return [...virtual.values()]
    .filter((node) => isVirtual(node) && isCordoned(node))
    .map(({ metadata: { name = '' } }) => name)
    .toSorted()
}

/** Calls the listener whenever a node is cordoned or uncordoned. */
export function onCordon(nodes: SyncContext['nodes'], listener: () => void): void {
  let before = cordonedNodes(nodes).join()
  nodes.virtual.onChange(() => {
    const now = cordonedNodes(nodes).join()
    if (now !== before) {
      before = now
      listener()
    }
  })
}

function shownOf(host: KubeObject): ShownNode {
  const [spec = {}, status = {}] = [recordAt(host, 'spec'), recordAt(host, 'status')]
  return {
    labels: host.metadata.labels ?? {},
    taints: recordsAt(spec, 'taints').filter(
      (taint) => textAt(taint, 'key')?.startsWith(OF_CONTROLLERS) === false,
    ),
    addresses: internalAddresses(host),
    nodeInfo: picked(recordAt(status, 'nodeInfo') ?? {}, NODE_INFO),
    status: picked(status, STATUS),
  }
}

/** The addresses of a node at which its pods' host ports are. */
export function internalAddresses(node: KubeObject | undefined): Json[] {
  return recordsAt(node, 'status', 'addresses').filter(({ type }) => type === 'InternalIP')
}

/** What a virtual node shows when the syncer may not read its host node. */
function nominalNode(name: string, { address, known, now }: NodeState): ShownNode {
  const conditions = [
    { type: 'MemoryPressure', status: 'False', reason: 'HostKnows' },
    { type: 'DiskPressure', status: 'False', reason: 'HostKnows' },
    { type: 'PIDPressure', status: 'False', reason: 'HostKnows' },
    { type: 'Ready', status: 'True', reason: 'SyncerReady' },
  ]
  return {
    labels: {
      'kubernetes.io/arch': ARCHITECTURE,
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
    },
    taints: [],
    addresses: address === undefined ? internalAddresses(known) : [{ type: 'InternalIP', address }],
    nodeInfo: {
      architecture: ARCHITECTURE,
      bootID: '',
      containerRuntimeVersion: 'vplane://',
      kernelVersion: '',
      kubeProxyVersion: '',
      machineID: '',
      operatingSystem: 'linux',
      osImage: 'node of the host cluster',
      systemUUID: '',
    },
    status: {
      capacity: CAPACITY,
      allocatable: CAPACITY,
      conditions: conditions.map((condition) => withTimes(condition, known, now)),
    },
  }
}

interface Condition extends Json {
  type: string
  status: string
}

/** A condition with the times of the known node's same one, or with the current time. */
function withTimes(condition: Condition, known: KubeObject | undefined, now: Date): Json {
  const at = `${now.toISOString().slice(0, 19)}Z`
  const before = conditionsOf(known).find(
    ({ status, type }) => type === condition.type && status === condition.status,
  )
  const { lastHeartbeatTime = at, lastTransitionTime = at } = before ?? {}
  return { ...condition, lastHeartbeatTime, lastTransitionTime }
}

function conditionsOf(node: KubeObject | undefined): Json[] {
  return recordsAt(node, 'status', 'conditions')
}
