import { join } from 'node:path'
import { componentSelector } from '../../../src/drivers/kubernetes/context/object-names.ts'
import { isFree } from '../../../src/shared/network/ports.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { tunnelFolders } from '../../../src/tunnel/record/tunnel-folder.ts'
import { readTunnel, type TunnelRecord } from '../../../src/tunnel/record/tunnel-record.ts'
import type { CommandResult, RunningCommand } from './cli.ts'
import type { HostCli } from '../host/host-cli.ts'

/** A plane in a host namespace of its own, which the kubeconfig of its user leads to through a tunnel. */
export interface ConnectedPlane {
  name: string
  namespace: string
  /** What is written down about its tunnel. */
  tunnel(): TunnelRecord
  /** Ends the process of its tunnel as a crash would, and returns when it is gone. */
  killTunnel(): Promise<void>
  /** Resolves when no process of a tunnel is left. */
  tunnelEnded(): Promise<void>
  /** Makes a ConfigMap through the context, trying until the plane takes it. */
  make(configMap: string): Promise<void>
  /** Deletes the pods of its kube-apiserver, or one of them; others take their place. */
  deletePods(which: 'all' | 'one'): Promise<void>
}

const MADE_MS = 120_000
const ENDED_MS = 60_000

/** Makes an ephemeral plane and connects to it. It goes with the namespaces of `cli`. */
export async function connectedPlane(
  cli: HostCli,
  name: string,
  flags: readonly string[] = [],
): Promise<ConnectedPlane> {
  const namespace = cli.newNamespace()
  await cli.ok(['create', name, '--namespace', namespace, '--ephemeral', '--connect', ...flags])
  const tunnel = () => tunnelOf(cli, name)
  const tunnelEnded = async () => {
    await waitFor(() => Promise.resolve(cli.processes().length === 0), {
      what: 'the end of the tunnel',
      timeoutMs: ENDED_MS,
    })
  }
  return {
    name,
    namespace,
    tunnel,
    tunnelEnded,
    killTunnel: async () => {
      const { port, process: running } = tunnel()
      if (running === undefined) {
        throw new Error(`no tunnel to "${name}" runs`)
      }
      process.kill(running.processId, 'SIGKILL')
      await tunnelEnded()
      // The kernel takes away what a process was started with before it closes what that listens on.
      await waitFor(() => isFree(port), { what: 'the port of the tunnel', timeoutMs: ENDED_MS })
    },
    make: (configMap) => makeSoon(cli, configMap),
    deletePods: async (which) => {
      const at = ['--namespace', namespace]
      const selector = ['--selector', componentSelector(name, 'kube-apiserver')]
      const pods = await livingPods(cli, [...at, ...selector])
      const chosen = which === 'all' ? pods : pods.slice(0, 1)
      await cli.host(['delete', 'pods', ...at, ...chosen, '--wait=false'])
    },
  }
}

/** A command that ends with its test, also when that fails. */
export function stoppable(running: RunningCommand): RunningCommand & AsyncDisposable {
  return {
    ...running,
    [Symbol.asyncDispose]: async () => {
      running.child.kill('SIGKILL')
      await running.ended
    },
  }
}

function tunnelOf(cli: HostCli, name: string): TunnelRecord {
  const folders = tunnelFolders(join(cli.root, 'data/vplane/tunnels'))
  const found = folders.map(readTunnel).find((record) => record?.plane.name === name)
  if (found === undefined) {
    throw new Error(`nothing is written down about a tunnel to "${name}"`)
  }
  return found
}

/** The names of the pods that nobody has deleted yet: one that is on its way out may be gone the moment after. */
async function livingPods(cli: HostCli, which: readonly string[]): Promise<string[]> {
  const { items }: { items: { metadata: { name: string; deletionTimestamp?: string } }[] } =
    await cli.hostJson(['get', 'pods', ...which])
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name)
}

async function makeSoon(cli: HostCli, configMap: string): Promise<void> {
  let last: CommandResult | undefined
  const isMade = async () => {
    last = await cli.kubectl(['create', 'configmap', configMap, '--request-timeout', '20s'])
    // An attempt whose answer got lost has made it.
    return last.code === 0 || last.stderr.includes('already exists')
  }
  try {
    await waitFor(isMade, { what: `"${configMap}" to be made`, timeoutMs: MADE_MS })
  } catch (error) {
    throw new Error(`kubectl said last: ${last?.stderr ?? ''}`, { cause: error })
  }
}
