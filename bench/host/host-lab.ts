import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitFor } from '../../src/shared/wait.ts'
import { canRunLab, type Lab, startLab } from '../../test/lab/lab.ts'
import type { CommandRun } from '../run-command.ts'
import type { Workspace } from '../workspace.ts'

const TIMEOUT_MS = 120_000
const POLL_MS = 50
const NODE_ADDRESS = 'jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address}'

/** A host cluster, and a vplane whose kubeconfig has it as its current context. */
export interface HostLab extends AsyncDisposable {
  lab: Lab
  workspace: Workspace
  /** The variables that `vplane` and `run` give to commands. */
  environment: Record<string, string>
  /** Address of a node: where node ports are. */
  nodeAddress: string
  /** Runs kubectl as the administrator of the host. */
  kubectl: (...args: string[]) => Promise<CommandRun>
  /** Runs the built vplane as an installed one is run. */
  vplane: (...args: string[]) => Promise<CommandRun>
  /** Runs any command with the kubeconfig that vplane writes its contexts to. */
  run: (command: readonly string[], environment?: Record<string, string>) => Promise<CommandRun>
  /** Makes a namespace that pods can be made in, which goes with all that is in it when it is disposed. */
  namespace: (name: string) => Promise<AsyncDisposable & { name: string }>
}

/** Why there is nothing to measure with, in a few words; undefined when there is. */
export function whyNoHost(): string | undefined {
  return canRunLab()
}

/**
 * Starts a cluster of the lab, or takes the one that `VPLANE_TEST_LAB` or `VPLANE_TEST_KUBECONFIG` names. One that it
 * started goes when it is disposed.
 */
export async function openHostLab(workspace: Workspace): Promise<HostLab> {
  await using failed = new AsyncDisposableStack()
  const lab = failed.use(await startLab({ signal: workspace.signal }))
  const kubeconfig = join(workspace.folder, 'host.kubeconfig')
  copyFileSync(lab.kubeconfigPath, kubeconfig)
  const kubectl = (...args: string[]) =>
    workspace.run(['kubectl', ...args], { KUBECONFIG: lab.kubeconfigPath })
  const own = { KUBECONFIG: kubeconfig }
  const run = (command: readonly string[], more: Record<string, string> = {}) =>
    workspace.run(command, { ...own, ...more })
  const { stdout: nodeAddress } = await kubectl('get', 'nodes', '--output', NODE_ADDRESS)
  failed.move()
  return {
    lab,
    workspace,
    environment: { ...workspace.environment, ...own },
    nodeAddress,
    kubectl,
    run,
    vplane: (...args) => run(['vplane', ...args]),
    namespace: async (name) => {
      await kubectl('create', 'namespace', name)
      await until(() => hasAccount(kubectl, name), { what: `the account of "${name}"`, workspace })
      return {
        name,
        [Symbol.asyncDispose]: async () => {
          await kubectl('delete', 'namespace', name, '--wait')
        },
      }
    },
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  }
}

/** Waits for something that is seen by asking for it often. */
export async function until(
  condition: () => Promise<boolean>,
  { what, workspace }: { what: string; workspace: Workspace },
): Promise<void> {
  const { signal } = workspace
  await waitFor(condition, { what, timeoutMs: TIMEOUT_MS, intervalMs: POLL_MS, signal })
}

/** Pods are refused in a namespace until it has its ServiceAccount. */
async function hasAccount(kubectl: HostLab['kubectl'], namespace: string): Promise<boolean> {
  const { stdout } = await kubectl('get', 'serviceaccounts', '-n', namespace, '--output', 'name')
  return stdout.includes('serviceaccount/default')
}
