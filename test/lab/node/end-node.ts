import { readFileSync, readlinkSync } from 'node:fs'
import { VplaneError } from '../../../src/shared/errors.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import type { LabCluster } from '../cluster/lab-cluster.ts'
import type { LabNode } from './start-node.ts'

const TIMEOUT_MS = 30_000

/**
 * Ends a node as a loss of power does: its programs, its containers and its network are gone at once, and nobody says so.
 *
 * @throws {VplaneError} `USAGE` for the first node, in whose network the host's control plane is.
 */
export async function endNode(
  { cgroups, plan: { nodes } }: LabCluster,
  { namespaces, plan }: LabNode,
  signal: AbortSignal,
): Promise<void> {
  if (plan.name === nodes[0]?.name) {
    throw new VplaneError('USAGE', `"${plan.name}" has the control plane of its cluster`)
  }
  const network = networkOf(namespaces.holder.processId)
  const group = `${cgroups.nodeGroup(plan.name)}/`
  await waitFor(
    () => {
      const left = cgroups
        .processes()
        .filter((id) => networkOf(id) === network || groupsOf(id).includes(group))
      left.forEach((id) => end(id))
      return Promise.resolve(left.length === 0)
    },
    { what: `the end of "${plan.name}"`, timeoutMs: TIMEOUT_MS, intervalMs: 20, signal },
  )
}

/** The network that a process is in; empty when it has ended. */
function networkOf(processId: number): string {
  return unlessEnded(() => readlinkSync(`/proc/${processId}/ns/net`))
}

function groupsOf(processId: number): string {
  return unlessEnded(() => readFileSync(`/proc/${processId}/cgroup`, 'utf8'))
}

function end(processId: number): void {
  unlessEnded(() => {
    process.kill(processId, 'SIGKILL')
    return ''
  })
}

function unlessEnded(look: () => string): string {
  try {
    return look()
  } catch {
    return ''
  }
}
