import type { KubeClient } from '../../../../src/kube/client/client.ts'
import { waitFor } from '../../../../src/shared/wait.ts'
import { isDeployed } from '../../addons/apply-addons.ts'
import { isNodeReady } from './is-node-ready.ts'
import type { LabCluster } from '../lab-cluster.ts'

const TIMEOUT_MS = 180_000

/** Returns when all nodes are ready, names are looked up and pods may be created. */
export async function waitForCluster(
  { plan, record }: LabCluster,
  client: KubeClient,
  signal: AbortSignal,
): Promise<void> {
  const wait = (what: string, condition: (deadline: AbortSignal) => Promise<boolean>) =>
    waitFor(condition, {
      what: `${what} of "${record.name}"`,
      timeoutMs: TIMEOUT_MS,
      intervalMs: 100,
      signal,
      hints: [`npm run lab -- status --name ${record.name}`],
    })
  for (const { name } of plan.nodes) {
    await wait(`node "${name}"`, async (deadline) => {
      const node = await client.get(`/api/v1/nodes/${name}`, { signal: deadline })
      return node !== undefined && isNodeReady(node)
    })
  }
  await wait('the DNS', (deadline) => isDeployed(client, ['kube-system', 'coredns'], deadline))
  await wait('the default ServiceAccount', async (deadline) => {
    const path = '/api/v1/namespaces/default/serviceaccounts/default'
    return (await client.get(path, { signal: deadline })) !== undefined
  })
}
