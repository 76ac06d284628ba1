import { readlinkSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import type { ProcessIdentity } from '../../../src/shared/processes/end-processes.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import type { NodeFolder } from '../cluster/state/cluster-folder.ts'
import type { ClusterProcesses } from '../cluster/cluster-processes.ts'
import type { DebianTools } from '../machine/debian-tools.ts'
import { runCommand } from '../machine/run-command.ts'

const TIMEOUT_MS = 10_000

/**
 * What a node sees of the machine: all of it, but with a `/run`, a `/var/lib` and a `/var/log` of its own. So containerd,
 * kubelet and CNI plugins keep the paths that everybody expects, and what they mount is gone with the node. One folder is
 * that of all nodes.
 */
const MOUNTS = `set -e
mount -t tmpfs -o mode=755 tmpfs /run
mount --bind "$1" /var/lib
mount --bind "$2" /var/log
mkdir -p /var/lib/shared-path
mount --bind "$3" /var/lib/shared-path
mount --make-rshared /
mkdir -p /run/lock
`

/** A process that holds a node's namespaces, and how to run something in them. */
export interface NodeNamespaces {
  holder: ProcessIdentity
  /** Words in front of a command that put it into the node's network alone. */
  network: string[]
  /** Words in front of a command that put it on the node. */
  node: string[]
}

/** Whether a node's namespaces are there, and words to enter them. */
export function findNamespaces(
  node: string,
  processes: ClusterProcesses,
  tools: DebianTools,
): NodeNamespaces | undefined {
  const holder = processes.find(holderName(node))
  return holder === undefined ? undefined : toNamespaces(holder, tools)
}

/** Makes a network and a mount namespace for a node. They end with all processes in them, and nothing stays behind. */
export async function makeNamespaces(
  { folder, node, shared }: { node: string; folder: NodeFolder; shared: string },
  processes: ClusterProcesses,
  tools: DebianTools,
): Promise<NodeNamespaces> {
  for (const path of [folder.lib, folder.log, shared]) {
    await mkdir(path, { recursive: true })
  }
  const holder = await processes.start({
    name: holderName(node),
    command: [
      tools.pathOf('unshare'),
      ...'--net --mount --propagation private'.split(' '),
      tools.pathOf('sleep'),
      'infinity',
    ],
    env: tools.env,
  })
  await waitFor(() => Promise.resolve(hasOwnNamespaces(holder.processId)), {
    what: `the namespaces of "${node}"`,
    timeoutMs: TIMEOUT_MS,
    intervalMs: 5,
  })
  const namespaces = toNamespaces(holder, tools)
  const [nsenter = '', ...args] = namespaces.node
  const folders = [folder.lib, folder.log, shared]
  await runCommand(nsenter, [...args, '/bin/sh', '-c', MOUNTS, 'mounts', ...folders], {
    env: tools.env,
  })
  return namespaces
}

function holderName(node: string): string {
  return `${node}-namespaces`
}

function toNamespaces(holder: ProcessIdentity, tools: DebianTools): NodeNamespaces {
  const target = [tools.pathOf('nsenter'), '--target', String(holder.processId)]
  return {
    holder,
    network: [...target, '--net', '--'],
    node: [...target, '--net', '--mount', '--'],
  }
}

/** It has them, and was replaced by the program that keeps them: only then are its mounts private. */
function hasOwnNamespaces(processId: number): boolean {
  const differs = ['net', 'mnt'].every(
    (kind) =>
      readlinkSync(`/proc/${processId}/ns/${kind}`) !== readlinkSync(`/proc/self/ns/${kind}`),
  )
  return differs && readlinkSync(`/proc/${processId}/exe`).endsWith('/sleep')
}
