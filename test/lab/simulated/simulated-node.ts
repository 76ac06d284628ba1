import { isRecord } from '../../../src/shared/json-fields.ts'
import { isNodeReady } from '../cluster/status/is-node-ready.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'

/** A label of all simulated nodes, and the taint that keeps other pods away. */
const SIMULATED = 'vplane.dev/simulated'

/** The label that tells those of one `addSimulatedNodes` from others. */
export const GROUP_LABEL = 'vplane.dev/simulated-group'

/** What the spec of a pod says that wants to be on a simulated node. */
export const ON_SIMULATED_NODES = {
  nodeSelector: { [SIMULATED]: 'true' },
  tolerations: [{ key: SIMULATED, operator: 'Exists' }],
}

/** The flags of a plane whose pods may be there. */
export const MAY_BE_SIMULATED = ['--set', `policies.tolerations=[${SIMULATED}]`]

/** A node that nobody runs; kwok fills its status in. */
export function simulatedNode(group: string, index: number): KubeObject {
  const name = `simulated-${group}-${index}`
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        [SIMULATED]: 'true',
        [GROUP_LABEL]: group,
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
      },
    },
    spec: { taints: [{ key: SIMULATED, effect: 'NoSchedule' }] },
  }
}

/** Returns whether pods that tolerate simulated nodes can be put on this one. */
export function takesPods(node: KubeObject): boolean {
  const taints = isRecord(node['spec']) ? node['spec']['taints'] : undefined
  return isNodeReady(node) && Array.isArray(taints) && taints.length === 1
}
