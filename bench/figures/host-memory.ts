import { setTimeout as delay } from 'node:timers/promises'
import { alternate } from '../alternate.ts'
import { value } from '../compare.ts'
import type { Figure, Result } from '../figure.ts'
import { type PodMemory, podMemory, sumOf } from '../host/host-pod-memory.ts'
import { median } from '../statistics.ts'
import { REST_MS } from './memory.ts'

type Groups = 'all' | 'lean'

/** What the pods of a plane at rest take, with all API groups and with few. */
export const hostMemoryFigure: Figure = {
  name: 'host-memory',
  async measure({ host: openHost, rounds, workspace }) {
    const host = await openHost()
    if (host === undefined) {
      return []
    }
    await using namespace = await host.namespace('bench-memory')
    const seen: Record<Groups, PodMemory[][]> = { all: [], lean: [] }
    const measure = async (name: Groups) => {
      const plane = { name, namespace: namespace.name }
      const place = [name, '--namespace', namespace.name]
      await host.vplane('create', ...place, '--ephemeral', '--set', `apiGroups=${name}`)
      await delay(REST_MS, undefined, { signal: workspace.signal })
      const memory = await podMemory(host, plane)
      await host.vplane('delete', ...place, '--yes')
      seen[name].push(memory)
      return sumOf(memory, ({ workingSet }) => workingSet)
    }
    const { all, lean } = await alternate(rounds, {
      all: () => measure('all'),
      lean: () => measure('lean'),
    })
    return [
      value({
        name: 'host-memory',
        what: 'memory of all pods of an idle plane (working set)',
        unit: 'MiB',
        of: 'all',
        target: 300,
        goal: 260,
        samples: { all },
        notes: [byComponent(seen.all, ({ workingSet }) => workingSet)],
      }),
      value({
        name: 'host-memory-lean',
        what: 'the same with `apiGroups: lean`',
        unit: 'MiB',
        of: 'lean',
        target: 250,
        samples: { lean },
        notes: [byComponent(seen.lean, ({ workingSet }) => workingSet)],
      }),
      ...withFiles(seen, { name: 'all', target: 300, goal: 260 }),
      ...withFiles(seen, { name: 'lean', target: 250 }),
    ]
  },
}

/** The same planes with the pages of the programs' files, where the pods are processes of this machine. */
function withFiles(
  seen: Record<Groups, PodMemory[][]>,
  { name, ...limits }: { name: Groups; target: number; goal?: number },
): Result[] {
  const total = (pod: PodMemory) => pod.total ?? Number.NaN
  const samples = seen[name].map((pods) => sumOf(pods, total))
  return samples.some(Number.isNaN)
    ? []
    : [
        value({
          ...limits,
          name: `host-memory-${name}-pss`,
          what: `memory of all pods of an idle plane with \`apiGroups: ${name}\` (PSS)`,
          unit: 'MiB',
          of: name,
          samples: { [name]: samples },
          notes: [byComponent(seen[name], total)],
        }),
      ]
}

function byComponent(planes: PodMemory[][], of: (pod: PodMemory) => number): string {
  const names = [...new Set(planes.flat().map(({ component }) => component))].toSorted()
  return names
    .map((name) => {
      const samples = planes.flat().filter(({ component }) => component === name)
      return `${name} ${median(samples.map(of)).toFixed(0)} MiB`
    })
    .join(', ')
}
