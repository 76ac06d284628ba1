import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { picked } from '../translate/reading.ts'
import { type Json, recordAt, recordsAt, textAt } from '../../shared/json-fields.ts'

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

/** The part of a host node that its virtual node shows. */
export interface ShownNode {
  labels: Record<string, string>
  /** For information: the host applies them. */
  taints: Json[]
  addresses: Json[]
  nodeInfo: Json
  status: Json
}

/** Picks what a virtual node shows of its host node. */
export function shownOf(host: KubeObject): ShownNode {
  const [spec = {}, status = {}] = [recordAt(host, 'spec'), recordAt(host, 'status')]
  return {
    labels: host.metadata.labels ?? {},
    taints: recordsAt(spec, 'taints').filter(
      (taint) => textAt(taint, 'key')?.startsWith(OF_CONTROLLERS) === false,
    ),
    addresses: recordsAt(status, 'addresses').filter(({ type }) => type === 'InternalIP'),
    nodeInfo: picked(recordAt(status, 'nodeInfo') ?? {}, NODE_INFO),
    status: picked(status, STATUS),
  }
}
