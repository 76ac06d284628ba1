import { randomBytes } from 'node:crypto'
import {
  DEFAULT_KUBERNETES_VERSION,
  formatVersion,
  parseKubernetesVersion,
} from '../../src/control-plane/spec/kubernetes-version.ts'
import { processEnvironment } from '../../src/shared/environment.ts'
import type { Ui } from '../../src/shared/ui.ts'
import { down } from './cluster/down.ts'
import { thisProcess } from './cluster/state/owner.ts'
import { reap } from './cluster/reap.ts'
import { up } from './cluster/up.ts'
import { externalLab } from './shared/external-lab.ts'
import { type LabContext, labContext } from './lab-context.ts'
import type { Kubectl } from './programs/find-kubectl.ts'
import { runningLab } from './shared/running-lab.ts'
import { sharedLab } from './shared/shared-labs.ts'
import type { SimulatedNodes } from './simulated/add-simulated-nodes.ts'
import { busyMachine } from '../support/machine/busy-machine.ts'
import { stderrUi } from '../support/cli/stderr-ui.ts'

export { canRunLab } from './can-run-lab.ts'

/** A host cluster for tests. */
export interface Lab extends AsyncDisposable {
  name: string
  /** An administrator's kubeconfig, as a file and as text. */
  kubeconfigPath: string
  kubeconfig: string
  /** Names of its nodes. */
  nodes: readonly string[]
  /** Runs kubectl as the administrator. */
  kubectl: Kubectl
  /** Ends the host's API server; everything else continues. */
  stopApiServer(): Promise<void>
  /** Starts the host's API server again and returns when it is ready. */
  startApiServer(): Promise<void>
  /** Imports an image archive on all nodes. */
  loadImage(archive: string): Promise<void>
  /** Makes sure that the images of planes of a Kubernetes version are on all nodes: `1.35`. */
  loadPlaneImages(version: string): Promise<void>
  /** Makes sure that the image of a version of etcd is on all nodes: `3.6.15`. */
  loadEtcdImage(version: string): Promise<void>
  /** Makes sure that the image of kine is on all nodes. */
  loadKineImage(): Promise<void>
  /** Makes sure that the image of a scheduler of planes of a Kubernetes version is on all nodes: `1.36`. */
  loadSchedulerImage(version: string): Promise<void>
  /** Makes sure that metrics-server's image is on all nodes; `installMetricsServer` installs it. */
  loadMetricsServerImage(): Promise<void>
  /** The path of helm. */
  helm(): Promise<string>
  /**
   * Adds nodes on which pods are said to run: they are ready as soon as they are there, and have neither containers nor a
   * network. Only pods that tolerate the taint `vplane.dev/simulated` get there. They are gone when they are disposed.
   */
  addSimulatedNodes(options: { count: number }): Promise<SimulatedNodes>
  /** Runs a command on a node, the first unless said otherwise, and returns what it printed. */
  execOnNode(command: readonly string[], node?: string): Promise<string>
  /**
   * Ends a node as a loss of power does: all that runs on it and its network are gone at once. It does not come back. Not
   * the first one, and only in a cluster of the test's own.
   */
  endNode(node: string): Promise<void>
  /**
   * A kubeconfig, as text, of someone who may do everything in one namespace, by the ClusterRole `admin`, and nothing
   * elsewhere. The namespace is made when it is not there.
   */
  namespaceAdminKubeconfig(namespace: string): Promise<string>
}

/** What kind of cluster a test needs. */
export interface LabOptions {
  /** @default a name that nobody has */
  name?: string
  /** @default 1 */
  nodes?: number
  /** Kubernetes: `1.36` or `1.36.3`. @default that of planes */
  version?: string
  /** Kubernetes versions of planes whose images are there. @default the newest */
  planeVersions?: readonly string[]
  /**
   * A cluster that nobody else uses, for tests that stop parts of it. It is started before or after the turns of tests
   * that count on quick answers: a test that has one must not ask for it. @default false
   */
  isOwn?: boolean
  /** @default lines on stderr */
  ui?: Ui
  /** @default never */
  signal?: AbortSignal
}

/**
 * A host cluster for tests: one of the lab that goes with this process at the latest, and when it is disposed.
 *
 * Unless it has to be a test's own, an existing one is used, and left as it is, when the environment names it:
 * `VPLANE_TEST_KUBECONFIG` any cluster by its kubeconfig, `VPLANE_TEST_LAB` one of the lab by its name, or several: each
 * of the files of tests that run at once has one for itself then.
 *
 * @throws {VplaneError} `FAILED` or `TIMED_OUT` when it cannot be started; `canRunLab` says beforehand why not.
 */
export async function startLab(options: LabOptions = {}): Promise<Lab> {
  const { isOwn = false, signal = new AbortController().signal, ui = stderrUi('lab') } = options
  const context = labContext(ui, signal)
  const environment = processEnvironment()
  const kubeconfig = environment['VPLANE_TEST_KUBECONFIG'] ?? ''
  const shared = sharedLab(environment)
  if (kubeconfig !== '' && !isOwn) {
    return await externalLab(kubeconfig, context)
  }
  if (shared !== undefined && !isOwn) {
    return await runningLab(shared, context, () => Promise.resolve())
  }
  // It keeps the disks so busy that etcd of planes beside it may wait for seconds.
  await using _turn = isOwn ? await busyMachine() : undefined
  return await ownLab(options, context)
}

/** Removes the host clusters whose owners were killed before they could. */
export async function removeOrphanedLabs(): Promise<void> {
  await reap(labContext(stderrUi('lab'), new AbortController().signal))
}

async function ownLab(options: LabOptions, context: LabContext): Promise<Lab> {
  const { nodes = 1, version = DEFAULT_KUBERNETES_VERSION } = options
  const { name = `test-${randomBytes(4).toString('hex')}`, planeVersions = [version] } = options
  await reap(context)
  await using failed = new AsyncDisposableStack()
  // The signal that ended the start must not end the clean-up.
  const remove = async () => {
    await down(name, { ...context, signal: new AbortController().signal })
  }
  failed.defer(remove)
  await up(
    {
      name,
      nodeCount: nodes,
      version: formatVersion(parseKubernetesVersion(version)),
      planeVersions: planeVersions.map((each) => formatVersion(parseKubernetesVersion(each))),
      owner: thisProcess(),
    },
    context,
  )
  const lab = await runningLab(name, context, remove)
  failed.move()
  return lab
}
