import { setTimeout as delay } from 'node:timers/promises'
import { openRequests } from '../host/host-requests.ts'
import { accessIn, type StaticAccess } from '../static-kubeconfig.ts'
import type { Workspace } from '../workspace.ts'

/** One request to one of the planes in each second. */
const INTERVAL_MS = 1000

/** Starts paused planes, one after the other. Returns how to reach them. */
export async function wakePlanes(
  workspace: Workspace,
  names: readonly string[],
): Promise<StaticAccess[]> {
  const accesses: StaticAccess[] = []
  for (const name of names) {
    await workspace.vplane('resume', name)
    const { stdout } = await workspace.vplane('kubeconfig', name, '--embed-credentials')
    accesses.push(accessIn(stdout))
  }
  return accesses
}

/**
 * Sends one request after the other to planes by turns, as kubectl does: each over a connection of its own.
 *
 * @returns how long each request took, and how many failed.
 */
export async function workByTurns(
  accesses: readonly StaticAccess[],
  { minutes, signal }: { minutes: number; signal: AbortSignal },
): Promise<{ times: number[]; failures: number }> {
  const times: number[] = []
  let failures = 0
  const begunAt = performance.now()
  for (let count = 0; performance.now() - begunAt < minutes * 60_000; count += 1) {
    const access = accesses[count % accesses.length]
    if (access === undefined) {
      break
    }
    const sentAt = performance.now()
    try {
      using requests = openRequests(access)
      await requests.get('/api/v1/namespaces')
      times.push(performance.now() - sentAt)
    } catch {
      failures += 1
    }
    await delay(Math.max(0, INTERVAL_MS - (performance.now() - sentAt)), undefined, { signal })
  }
  return { times, failures }
}
