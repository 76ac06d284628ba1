import type { KubeClient } from '../../kube/client/client.ts'
import type { KubeObject } from '../../kube/kube-object.ts'

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'
/** As the kubelet says it. */
const LEASE_SECONDS = 40

/** Says that a node is there, to the plane's node lifecycle controller. The Lease goes with the node. */
export async function renewLease(
  plane: Pick<KubeClient, 'apply'>,
  { metadata: { name = '', uid = '' } }: KubeObject,
  now: Date,
): Promise<void> {
  await plane.apply(`${LEASES}/${name}`, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name,
      namespace: 'kube-node-lease',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
    },
    spec: {
      holderIdentity: name,
      leaseDurationSeconds: LEASE_SECONDS,
      renewTime: now.toISOString().replace(/Z$/, '000Z'),
    },
  })
}
