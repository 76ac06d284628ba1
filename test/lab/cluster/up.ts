import { join } from 'node:path'
import { acquireFileLock } from '../../../src/shared/files/file-lock.ts'
import { applyAddons } from '../addons/apply-addons.ts'
import {
  type HostComponent,
  startHostComponent,
  waitForHostApi,
  waitForHostEtcd,
  writeHostFiles,
} from '../host/start-host.ts'
import type { LabContext } from '../lab-context.ts'
import { raiseInotifyLimit } from '../machine/raise-inotify-limit.ts'
import { ensureDebianTools } from '../machine/debian-tools.ts'
import { ensureSeed } from '../images/seed.ts'
import { importMissing, plantImages } from '../node/node-images.ts'
import {
  type LabNode,
  startContainerd,
  startNodePrograms,
  writeNodeFiles,
} from '../node/start-node.ts'
import {
  ensureAddonImages,
  ensureHostPrograms,
  ensurePlaneImages,
  type Programs,
} from '../programs/ensure-parts.ts'
import { hostClient } from './host-client.ts'
import { type LabCluster, labCluster } from './lab-cluster.ts'
import { openNodes } from './open-nodes.ts'
import { type ClusterRequest, reserveCluster } from './state/reserve-cluster.ts'
import { waitForCluster } from './status/wait-for-cluster.ts'
import { startEnforcer } from '../policies/start-enforcer.ts'
import { startProvisioner } from '../volumes/start-provisioner.ts'

const LOCK_TIMEOUT_MS = 600_000

/**
 * Makes a host cluster and returns when pods run in it. One that is there is completed: whatever of it does not run is
 * started.
 *
 * @throws {VplaneError} `CONFLICT` when there is another one of that name, `FAILED`, `TIMED_OUT`, `ABORTED`.
 */
export async function up(request: ClusterRequest, context: LabContext): Promise<LabCluster> {
  const { folder, signal, ui } = context
  await raiseInotifyLimit()
  const tools = await ensureDebianTools(context)
  const programs = await ensureHostPrograms(request.version, context)
  const archives = await ensureAddonImages(context, tools)
  for (const version of request.planeVersions) {
    archives.push(...(await ensurePlaneImages(version, context)))
  }
  await using _ = await acquireFileLock(join(folder.locks, `${request.name}.lock`), {
    what: `another lab that works on "${request.name}"`,
    timeoutMs: LOCK_TIMEOUT_MS,
    signal,
  })
  const cluster = labCluster(await reserveCluster(request, context), context, tools)
  ui.step(`starting "${request.name}" with Kubernetes ${request.version}`)
  const now = new Date()
  await writeHostFiles(cluster, now)
  for (const plan of cluster.plan.nodes) {
    await writeNodeFiles(cluster, plan, now)
  }
  const nodes = await openNodes(cluster, signal)
  await using client = hostClient(cluster)
  const start = starter(cluster, nodes, programs)
  await start('etcd')
  await plantImages(cluster, nodes, () => ensureSeed(archives, context, tools))
  await Promise.all(nodes.map((node) => startContainerd(cluster, node, signal)))
  await waitForHostEtcd(cluster, signal)
  await start('kube-apiserver')
  await Promise.all(nodes.map((node) => importMissing(cluster, node, archives)))
  await waitForHostApi(cluster, client, signal)
  await start('kube-controller-manager')
  await start('kube-scheduler')
  await startProvisioner(cluster)
  await startEnforcer(cluster, context)
  await Promise.all(nodes.map((node) => startNodePrograms(cluster, node, programs)))
  await applyAddons(client, signal)
  await waitForCluster(cluster, client, signal)
  return cluster
}

function starter(cluster: LabCluster, nodes: readonly LabNode[], programs: Programs) {
  return async (name: HostComponent): Promise<void> => {
    const [first] = nodes
    if (first !== undefined) {
      const { namespaces } = first
      await startHostComponent(name, cluster, { binary: programs[name] ?? '', namespaces })
    }
  }
}
