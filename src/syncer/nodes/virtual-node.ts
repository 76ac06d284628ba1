import type { SchedulerChoice } from '../../control-plane/spec/fields/host-spec.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { type Json, recordAt, recordsAt } from '../../shared/json-fields.ts'
import { VIRTUAL_LABEL } from '../translate/markers.ts'
import { type ShownNode, shownOf } from './host-node.ts'
import { withNodeMarks } from './node-marks.ts'

/** How a plane's nodes are reached, and what they say of themselves. */
export interface NodeSettings {
  /** Name by which the plane's kube-apiserver reaches the kubelet endpoint. */
  endpoint: string
  /** The port there that is a node's own. */
  portOf: (node: string) => number
  /** Version of the plane: a node of another one would look like a skew. */
  kubernetesVersion: string
  /** Who chooses the nodes of pods. @default host */
  scheduler?: SchedulerChoice | undefined
}

export interface NodeKnowledge {
  /** The node as it is, which says since when its conditions are so. */
  known?: KubeObject | undefined
  /** The one that it stands for. @default the host's nodes may not be read */
  host?: KubeObject | undefined
  now: Date
}

export type VirtualNode = KubeObject & { spec: { taints?: Json[] }; status: Json }

/** As kube-apiserver spells it. Pods are scheduled by the host, which knows what there is. */
const ROOM = { cpu: '64', memory: '256Gi', 'ephemeral-storage': '1Ti', pods: '1k' }

/** That a host node is cordoned, which only a scheduler of the plane has to be told: its own cordons are its users'. */
const HOST_CORDON = { key: 'vplane.dev/host-unschedulable', effect: 'NoSchedule' }

const ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch

/** A node of the plane that stands for one of the host of the same name, and is as ready as that, as far as is known. */
export function virtualNode(
  name: string,
  { endpoint, kubernetesVersion, portOf, scheduler }: NodeSettings,
  { host, known, now }: NodeKnowledge,
): VirtualNode {
  const shown = host === undefined ? unseen(name, known, now) : shownOf(host)
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
      // A name that leads to whichever syncer serves: kube-apiserver is told to prefer it.
      addresses: [{ type: 'Hostname', address: endpoint }, ...addresses],
      daemonEndpoints: { kubeletEndpoint: { Port: portOf(name) } },
      nodeInfo: { ...nodeInfo, kubeletVersion: `v${kubernetesVersion}` },
    },
  })
}

/** The conditions of a node whose host node is gone: it is not ready, and nothing else is known. */
export function lostNodeConditions(known: KubeObject, now: Date): Json[] {
  const gone = {
    type: 'Ready',
    status: 'False',
    reason: 'HostNodeGone',
    message: 'the host cluster has no node of this name any more',
  }
  const others = conditionsOf(known).filter(({ type }) => type !== gone.type)
  return [...others, withTimes(gone, known, now)]
}

/** Tells whether a node is to get no more pods. */
export function isCordoned(node: KubeObject): boolean {
  return recordAt(node, 'spec')?.['unschedulable'] === true
}

/** What is said of a node that may not be looked at. */
function unseen(name: string, known: KubeObject | undefined, now: Date): ShownNode {
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
      capacity: ROOM,
      allocatable: ROOM,
      conditions: conditions.map((condition) => withTimes(condition, known, now)),
    },
  }
}

interface Condition extends Json {
  type: string
  status: string
}

/** A condition that is true since now, or since when the node that is known says so. */
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
