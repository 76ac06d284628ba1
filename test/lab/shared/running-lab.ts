import { readFileSync } from 'node:fs'
import {
  formatVersion,
  parseKubernetesVersion,
} from '../../../src/control-plane/spec/kubernetes-version.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { hostClient } from '../cluster/host-client.ts'
import { loadImage } from '../cluster/load-image.ts'
import { namespaceAdmin } from '../cluster/namespace-admin.ts'
import { openCluster } from '../cluster/open-cluster.ts'
import { startHostComponent, waitForHostApi } from '../host/start-host.ts'
import type { Lab } from '../lab.ts'
import type { LabContext } from '../lab-context.ts'
import { endNode } from '../node/end-node.ts'
import { importMissing } from '../node/node-images.ts'
import { runOnNode } from '../node/start-node.ts'
import { findKubectl } from '../programs/find-kubectl.ts'
import {
  ensureEtcdImage,
  ensureKineImage,
  ensureHostPrograms,
  ensureMetricsServerImage,
  ensurePlaneImages,
  ensureSchedulerImage,
  ensureTool,
} from '../programs/ensure-parts.ts'
import { addSimulatedNodes } from '../simulated/add-simulated-nodes.ts'

/** A cluster of the lab that is up, as tests see it. */
export async function runningLab(
  name: string,
  context: LabContext,
  remove: () => Promise<void>,
): Promise<Lab> {
  const { cluster, nodes } = await openCluster(name, context)
  const { folder, processes, record } = cluster
  const nodeOf = (nodeName?: string) => {
    const node = nodes.find(({ plan }) => nodeName === undefined || plan.name === nodeName)
    if (node === undefined) {
      throw new VplaneError('NOT_FOUND', `"${name}" has no node "${nodeName}"`)
    }
    return node
  }
  const load = async (archives: readonly string[]) => {
    await Promise.all(nodes.map((node) => importMissing(cluster, node, archives)))
  }
  return {
    name,
    kubeconfigPath: folder.kubeconfig,
    kubeconfig: readFileSync(folder.kubeconfig, 'utf8'),
    nodes: nodes.map(({ plan }) => plan.name),
    kubectl: await findKubectl(folder.kubeconfig, context),
    stopApiServer: () => processes.stop('kube-apiserver', context.signal),
    startApiServer: async () => {
      const programs = await ensureHostPrograms(record.version, context)
      const { namespaces } = nodeOf()
      const binary = programs['kube-apiserver'] ?? ''
      await startHostComponent('kube-apiserver', cluster, { binary, namespaces })
      await using client = hostClient(cluster)
      await waitForHostApi(cluster, client, context.signal)
    },
    loadImage: (archive) => loadImage(name, archive, context),
    loadPlaneImages: async (version) => {
      const full = formatVersion(parseKubernetesVersion(version))
      await load(await ensurePlaneImages(full, context))
    },
    loadEtcdImage: async (version) => load([await ensureEtcdImage(version, context)]),
    loadKineImage: async () => load([await ensureKineImage(context)]),
    loadSchedulerImage: async (version) => {
      const full = formatVersion(parseKubernetesVersion(version))
      await load(await ensureSchedulerImage(full, context))
    },
    loadMetricsServerImage: async () => load(await ensureMetricsServerImage(context)),
    helm: () => ensureTool('helm', context),
    addSimulatedNodes: (options) => addSimulatedNodes(cluster, options, context),
    execOnNode: (command, nodeName) => runOnNode(cluster, nodeOf(nodeName), command),
    endNode: (nodeName) => endNode(cluster, nodeOf(nodeName), context.signal),
    namespaceAdminKubeconfig: async (namespace) => {
      await using client = hostClient(cluster)
      return await namespaceAdmin(cluster, client, { namespace, signal: context.signal })
    },
    [Symbol.asyncDispose]: remove,
  }
}
