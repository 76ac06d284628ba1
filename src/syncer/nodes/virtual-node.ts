import type { SchedulerChoice } from '../../control-plane/spec/fields/host-spec.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { type Json, recordAt, recordsAt } from '../../shared/json-fields.ts'
import { VIRTUAL_LABEL } from '../translate/markers.ts'
import { type ShownNode, shownOf } from './host-node.ts'
import { withNodeMarks } from './node-marks.ts'

/** The settings of all nodes of a plane. */
export interface NodeSettings {
  /** Host name by which the plane's kube-apiserver reaches the kubelets. */
  endpoint: string
  /** The kubelet port of a node. */
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
  now: Date
}

type VirtualNode = KubeObject & { spec: { taints?: Json[] }; status: Json }

/** A nominal capacity, as kube-apiserver formats it: the host schedules pods, and knows the real one. */
const CAPACITY = { cpu: '64', memory: '256Gi', 'ephemeral-storage': '1Ti', pods: '1k' }

/** Tells a scheduler of the plane that the host node is cordoned; `unschedulable` is left to the plane's users. */
const HOST_CORDON = { key: 'vplane.dev/host-unschedulable', effect: 'NoSchedule' }

const ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch

/** The node of the plane for a host node of the same name, with its state as far as the syncer may read it. */
export function virtualNode(
  name: string,
  { endpoint, kubernetesVersion, portOf, scheduler }: NodeSettings,
  { host, known, now }: NodeState,
): VirtualNode {
  const shown = host === undefined ? nominalNode(name, known, now) : shownOf(host)
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

/** The conditions of a node whose host node was deleted: it is not ready, and the others stay. */
export function lostNodeConditions(known: KubeObject, now: Date): Json[] {
  const gone = {
    type: 'Ready',
    status: 'False',
    reason: 'HostNodeGone',
    message: 'the host cluster no longer has a node with this name',
  }
  const others = conditionsOf(known).filter(({ type }) => type !== gone.type)
  return [...others, withTimes(gone, known, now)]
}

/** Tells whether a node is cordoned. */
export function isCordoned(node: KubeObject): boolean {
  return recordAt(node, 'spec')?.['unschedulable'] === true
}

/** What a virtual node shows when the syncer may not read its host node. */
function nominalNode(name: string, known: KubeObject | undefined, now: Date): ShownNode {
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
    addresses: [],
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
