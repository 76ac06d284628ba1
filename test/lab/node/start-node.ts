import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { waitFor } from '../../../src/shared/wait.ts'
import type { NodePlan } from '../cluster/state/address-plan.ts'
import type { LabCluster } from '../cluster/lab-cluster.ts'
import { writeFiles } from '../cluster/state/write-files.ts'
import { authorityOf, createNodePki } from '../host/host-pki.ts'
import { fileKubeconfig } from '../host/kubeconfig.ts'
import { readPki } from '../host/read-pki.ts'
import { PAUSE_IMAGE } from '../images/lab-images.ts'
import { runCommand } from '../machine/run-command.ts'
import { cniConfig } from './cni-config.ts'
import { containerdConfig } from './containerd-config.ts'
import { kubeProxyConfig } from './kube-proxy-config.ts'
import { kubeletConfig } from './kubelet-config.ts'
import type { NodeNamespaces } from './node-namespaces.ts'

const TIMEOUT_MS = 60_000

/** One node of a cluster, with what it runs in. */
export interface LabNode {
  plan: NodePlan
  namespaces: NodeNamespaces
}

/** Writes all files of a node; certificates that are there stay. */
export async function writeNodeFiles(
  cluster: LabCluster,
  plan: NodePlan,
  now: Date,
): Promise<void> {
  const { cgroups, folder, plan: addresses, tools } = cluster
  const { cni, configuration, pki } = folder.node(plan.name)
  if (!existsSync(join(pki, 'kubelet.crt'))) {
    const authority = readPki(folder.pki, ['ca.crt', 'ca.key', 'kube-proxy.crt', 'kube-proxy.key'])
    const { 'ca.key': _, ...shared } = authority
    await writeFiles(pki, { ...shared, ...createNodePki(authorityOf(authority), plan, now) })
  }
  await writeFiles(cni, { '10-vplane-lab.conflist': cniConfig(plan) })
  await writeFiles(configuration, {
    'containerd.toml': containerdConfig({
      pauseImage: PAUSE_IMAGE,
      runc: tools.pathOf('runc'),
      cniPlugins: tools.cniPlugins,
      cniConfiguration: cni,
    }),
    'kubelet.json': kubeletConfig({
      cgroup: cgroups.nodeGroup(plan.name),
      pkiFolder: pki,
      resolvConf: `${configuration}/resolv.conf`,
    }),
    'kubelet.kubeconfig': fileKubeconfig('kubelet', addresses.server, pki),
    'kube-proxy.json': kubeProxyConfig({
      node: plan.name,
      kubeconfig: `${configuration}/kube-proxy.kubeconfig`,
    }),
    'kube-proxy.kubeconfig': fileKubeconfig('kube-proxy', addresses.server, pki),
    // Nobody there answers: names outside the cluster are not looked up.
    'resolv.conf': `nameserver ${addresses.machineAddress}\n`,
  })
}

/** Starts a node's containerd, unless it runs, and returns when it answers. */
export async function startContainerd(
  cluster: LabCluster,
  node: LabNode,
  signal: AbortSignal,
): Promise<void> {
  const { folder, processes, tools } = cluster
  const { configuration } = folder.node(node.plan.name)
  await processes.start({
    name: `${node.plan.name}-containerd`,
    command: [
      ...node.namespaces.node,
      tools.pathOf('containerd'),
      `--config=${configuration}/containerd.toml`,
    ],
    env: tools.env,
  })
  await waitFor(
    () =>
      runOnNode(cluster, node, [...ctr(cluster), 'images', 'ls', '-q']).then(
        () => true,
        () => false,
      ),
    { what: `containerd of "${node.plan.name}"`, timeoutMs: TIMEOUT_MS, intervalMs: 50, signal },
  )
}

/** Starts the Kubernetes programs of a node, unless they run. */
export async function startNodePrograms(
  { folder, processes, tools }: LabCluster,
  { namespaces, plan }: LabNode,
  programs: Readonly<Record<string, string>>,
): Promise<void> {
  const { configuration } = folder.node(plan.name)
  await processes.start({
    name: `${plan.name}-kubelet`,
    command: [
      ...namespaces.node,
      programs['kubelet'] ?? '',
      `--config=${configuration}/kubelet.json`,
      `--kubeconfig=${configuration}/kubelet.kubeconfig`,
      `--hostname-override=${plan.name}`,
      `--node-ip=${plan.address}`,
    ],
    env: tools.env,
  })
  await processes.start({
    name: `${plan.name}-kube-proxy`,
    command: [
      ...namespaces.node,
      programs['kube-proxy'] ?? '',
      `--config=${configuration}/kube-proxy.json`,
    ],
    env: tools.env,
  })
}

/** Imports an image archive on a node. Images that are there already are there afterwards. */
export async function importImage(
  cluster: LabCluster,
  node: LabNode,
  archive: string,
): Promise<void> {
  await runOnNode(cluster, node, [...ctr(cluster), 'images', 'import', archive])
}

/** Runs a command on a node and returns what it printed. */
export async function runOnNode(
  { tools }: LabCluster,
  { namespaces }: LabNode,
  command: readonly string[],
): Promise<string> {
  const [nsenter = '', ...args] = namespaces.node
  return await runCommand(nsenter, [...args, ...command], { env: tools.env })
}

function ctr({ tools }: LabCluster): string[] {
  return [tools.pathOf('ctr'), '--address=/run/containerd/containerd.sock', '--namespace=k8s.io']
}
