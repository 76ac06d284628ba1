import { randomBytes } from 'node:crypto'
import type { KubeClient } from '../../../src/kube/client/client.ts'
import { isRecord } from '../../../src/shared/json-fields.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { hostClient } from '../cluster/host-client.ts'
import type { LabCluster } from '../cluster/lab-cluster.ts'
import type { LabContext } from '../lab-context.ts'
import { ensureTool, toolSource } from '../programs/ensure-parts.ts'
import { kwokProcess } from './kwok-process.ts'
import { GROUP_LABEL, simulatedNode, takesPods } from './simulated-node.ts'

const TIMEOUT_MS = 60_000

/** Nodes that are objects and nothing more; with them go the pods that are on them. */
export interface SimulatedNodes extends AsyncDisposable {
  names: string[]
}

/**
 * Adds nodes to a cluster on which pods are said to run: they are ready as soon as they are there, and have neither
 * containers nor a network. Only pods that tolerate the taint `vplane.dev/simulated` get there.
 */
export async function addSimulatedNodes(
  cluster: LabCluster,
  { count }: { count: number },
  context: LabContext,
): Promise<SimulatedNodes> {
  const program = await ensureTool('kwok', context)
  const group = randomBytes(4).toString('hex')
  const kwok = kwokProcess(cluster.folder, { program, module: await toolSource('kwok'), group })
  await using stack = new AsyncDisposableStack()
  const client = stack.use(hostClient(cluster))
  // A signal that ends the work must not end the clean-up.
  const { signal } = new AbortController()
  stack.defer(() => cluster.processes.stop(kwok.name, signal))
  stack.defer(() => removeNodes(client, group))
  await cluster.processes.start(kwok)
  const nodes = Array.from({ length: count }, (_, index) => simulatedNode(group, index))
  for (const node of nodes) {
    await client.create('/api/v1/nodes', node, { signal: context.signal })
  }
  await waitFor(
    async (deadline) => (await listNodes(client, group, deadline)).every((node) => takesPods(node)),
    { what: `${count} simulated nodes`, timeoutMs: TIMEOUT_MS, signal: context.signal },
  )
  const owned = stack.move()
  return {
    names: nodes.map(({ metadata: { name = '' } }) => name),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Nodes go first: no other pod gets there then. */
async function removeNodes(client: KubeClient, group: string): Promise<void> {
  const nodes = await listNodes(client, group)
  const names = new Set(nodes.map(({ metadata: { name = '' } }) => name))
  for (const name of names) {
    await client.delete(`/api/v1/nodes/${name}`)
  }
  const { items } = await client.list('/api/v1/pods')
  for (const { metadata, spec } of items) {
    if (isRecord(spec) && names.has(String(spec['nodeName']))) {
      const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`
      await client.delete(path, { graceSeconds: 0 })
    }
  }
}

async function listNodes(client: KubeClient, group: string, signal?: AbortSignal) {
  const labelSelector = `${GROUP_LABEL}=${group}`
  return (await client.list('/api/v1/nodes', { labelSelector, signal })).items
}
