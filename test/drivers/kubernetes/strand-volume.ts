import type { MemoryHostApi } from '../../support/api/memory-host-api.ts'
import { objectOf } from './fake-cluster.ts'

export interface StrandOptions {
  /** The label by which the volume names its node; none for a volume of a network. @default as local volumes do */
  key?: string
  /** @default node-1 */
  value?: string
  /** The nodes that are there, with their taints. @default another one */
  nodes?: Readonly<Record<string, readonly string[]>>
}

/** Gives a member of a plane's etcd in `team-a` a volume that is made for the node `node-1`. */
export function strandVolume(
  api: MemoryHostApi,
  member: string,
  {
    key = 'kubernetes.io/hostname',
    nodes = { 'node-2': [] },
    value = 'node-1',
  }: StrandOptions = {},
): void {
  const terms = [{ matchExpressions: [{ key, operator: 'In', values: [value] }] }]
  const nodeAffinity = { required: { nodeSelectorTerms: key === '' ? [] : terms } }
  const name = `data-${member}`
  const volumeName = `pvc-of-${member}`
  const path = `/api/v1/namespaces/team-a/persistentvolumeclaims/${name}`
  api.put(path, {
    ...api.objects.get(path),
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      ...api.objects.get(path)?.metadata,
      name,
      namespace: 'team-a',
      annotations: { 'volume.kubernetes.io/selected-node': 'node-1' },
    },
    spec: { volumeName },
  })
  const volume = objectOf('PersistentVolume', { name: volumeName })
  api.put(`/api/v1/persistentvolumes/${volumeName}`, { ...volume, spec: { nodeAffinity } })
  for (const [node, keys] of Object.entries(nodes)) {
    const metadata = { name: node, labels: { 'kubernetes.io/hostname': node } }
    const taints = keys.map((taint) => ({ key: taint, effect: 'NoExecute' }))
    api.put(`/api/v1/nodes/${node}`, { ...objectOf('Node', metadata), spec: { taints } })
  }
}
