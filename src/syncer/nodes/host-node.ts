import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { picked } from '../translate/reading.ts'
import { type Json, recordAt, recordsAt, textAt } from '../../shared/json-fields.ts'

/** The same in the plane: not `declaredFeatures`, which are those of the host's kubelet. */
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

/** Taints that each cluster's own controllers give and take by conditions and cordons: the plane's do so there. */
const OF_CONTROLLERS = 'node.kubernetes.io/'

/** What is kept of the host's nodes: their images and volumes are most of what they weigh. */
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

/** What a virtual node shows of its host node. */
export interface ShownNode {
  labels: Record<string, string>
  /** Only shown: it is the host that heeds them. */
  taints: Json[]
  addresses: Json[]
  nodeInfo: Json
  status: Json
}

/** What a host node says of itself that holds for its virtual node as well. */
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
