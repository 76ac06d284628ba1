import { waitFor } from '../../src/shared/wait.ts'
import type { HostLab } from './host-lab.ts'
import { median } from '../statistics.ts'

const PLANE = 'bench-create'
const TIMEOUT_MS = 60_000

/** Milliseconds by what `create --timings` says they were spent on, one sample for each round. */
export type Phases = Map<string, number[]>

/** Makes a plane, uses it once and removes it; how long that took until it was used, in milliseconds. */
export async function createPlane(
  { vplane, workspace }: HostLab,
  { flags, namespace, phases }: { flags: string[]; namespace: string; phases: Phases },
): Promise<number> {
  const place = [PLANE, '--namespace', namespace]
  const startedAt = performance.now()
  const { ms: createMs, stdout } = await vplane('create', ...place, ...flags, '--timings', '--json')
  const isThere = async () => {
    try {
      await vplane('connect', PLANE, '--', 'kubectl', 'get', 'sa', 'default')
      return true
    } catch {
      // The first that succeeds counts.
      return false
    }
  }
  const { signal } = workspace
  await waitFor(isThere, { what: 'kubectl', timeoutMs: TIMEOUT_MS, intervalMs: 10, signal })
  const ms = performance.now() - startedAt
  addPhases(phases, stdout, { createMs, ms })
  await vplane('delete', ...place, '--yes')
  return ms
}

/** Where the time goes, for a note. */
export function formatPhases(phases: Phases): string {
  return [...phases].map(([name, of]) => `${name} ${median(of).toFixed(0)} ms`).join(', ')
}

function addPhases(
  phases: Phases,
  stdout: string,
  { createMs, ms }: { createMs: number; ms: number },
) {
  const { timings }: { timings: Array<{ phase: string; milliseconds: number }> } =
    JSON.parse(stdout)
  const known = timings.reduce((sum, { milliseconds }) => sum + milliseconds, 0)
  const all = [
    ...timings,
    { phase: 'Process of create, start and end', milliseconds: createMs - known },
    { phase: 'connect', milliseconds: ms - createMs },
  ]
  for (const { milliseconds, phase } of all) {
    phases.set(phase, [...(phases.get(phase) ?? []), milliseconds])
  }
}
