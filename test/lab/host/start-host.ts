import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { configurationFiles } from '../../../src/control-plane/components/configuration-files.ts'
import { describeComponents } from '../../../src/control-plane/components/describe-components.ts'
import type { KubeClient } from '../../../src/kube/client/client.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import type { LabCluster } from '../cluster/lab-cluster.ts'
import { writeFiles } from '../cluster/state/write-files.ts'
import type { NodeNamespaces } from '../node/node-namespaces.ts'
import { createHostPki } from './host-pki.ts'
import { hostLayout, hostSpec } from './host-spec.ts'
import { isReachable } from './is-reachable.ts'
import { fileKubeconfig, hostKubeconfig } from './kubeconfig.ts'
import { readPki } from './read-pki.ts'

const TIMEOUT_MS = 120_000

export type HostComponent = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler'

/** Writes all files of a host's control plane; certificates that are there stay. */
export async function writeHostFiles(cluster: LabCluster, now: Date): Promise<void> {
  const { folder, plan, record } = cluster
  if (!existsSync(join(folder.pki, 'ca.crt'))) {
    await writeFiles(folder.pki, await createHostPki(plan, now))
  }
  const files = configurationFiles(hostSpec(record.version), hostLayout(plan, folder))
  await writeFiles(folder.configuration, {
    ...files,
    'scheduler.kubeconfig': fileKubeconfig('scheduler', plan.server, folder.pki),
  })
  const pki = readPki(folder.pki, ['ca.crt', 'admin.crt', 'admin.key'])
  await writeFiles(folder.root, {
    'admin.kubeconfig': hostKubeconfig({
      name: record.name,
      server: plan.server,
      certificateAuthority: pki['ca.crt'] ?? '',
      certificate: pki['admin.crt'] ?? '',
      key: pki['admin.key'] ?? '',
    }),
  })
}

/** Starts one component of a host's control plane in the network of the first node, unless it runs. */
export async function startHostComponent(
  name: HostComponent,
  cluster: LabCluster,
  { binary, namespaces }: { binary: string; namespaces: NodeNamespaces },
): Promise<void> {
  const { folder, plan, processes, record, tools } = cluster
  const described = describeComponents(hostSpec(record.version), hostLayout(plan, folder)).find(
    (component) => component.name === name,
  )
  await processes.start({
    name,
    command: [...namespaces.network, binary, ...(described?.args ?? schedulerArguments(cluster))],
    env: { PATH: tools.env['PATH'] ?? '', ...described?.env },
  })
}

function schedulerArguments({ folder }: LabCluster): string[] {
  const kubeconfig = `${folder.configuration}/scheduler.kubeconfig`
  return [
    '--authentication-tolerate-lookup-failure=true',
    '--bind-address=127.0.0.1',
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
  ]
}

/** Returns when a host's etcd listens: kube-apiserver dials it once, and then backs off. */
export async function waitForHostEtcd({ plan, record }: LabCluster, signal: AbortSignal) {
  const address = plan.nodes[0]?.address ?? ''
  await waitFor(() => isReachable(address, 2379), {
    what: `etcd of "${record.name}"`,
    timeoutMs: TIMEOUT_MS,
    intervalMs: 20,
    signal,
  })
}

/** Returns when a host's API server is ready. */
export async function waitForHostApi(
  { record }: LabCluster,
  client: KubeClient,
  signal: AbortSignal,
): Promise<void> {
  await waitFor(
    async (deadline) =>
      (await client.text('/readyz', { signal: deadline }).catch(() => undefined))?.status === 200,
    { what: `the API server of "${record.name}"`, timeoutMs: TIMEOUT_MS, intervalMs: 50, signal },
  )
}
