import { setTimeout as delay } from 'node:timers/promises'
import { alternate } from '../alternate.ts'
import { value } from '../compare.ts'
import type { Figure } from '../figure.ts'
import {
  canMeasureMemory,
  formatMemory,
  planeMemory,
  type ProcessMemory,
  totalMemory,
} from '../plane-memory.ts'

/** How long a plane is idle before its memory is measured: by then it has returned what only the start needed. */
export const REST_MS = 30_000

/** What a plane at rest takes, with all API groups and with few. */
export const memoryFigure: Figure = {
  name: 'memory',
  async measure({ rounds, say, workspace }) {
    if (!canMeasureMemory()) {
      say('memory is measured on Linux alone')
      return []
    }
    const seen: Record<'all' | 'lean', ProcessMemory[][]> = { all: [], lean: [] }
    const measure = async (apiGroups: 'all' | 'lean') => {
      await workspace.vplane('create', apiGroups, '--set', `apiGroups=${apiGroups}`)
      await delay(REST_MS, undefined, { signal: workspace.signal })
      const memory = planeMemory(workspace.planes, apiGroups)
      await workspace.vplane('delete', apiGroups, '--yes')
      seen[apiGroups].push(memory)
      return totalMemory(memory)
    }
    const { all, lean } = await alternate(rounds, {
      all: () => measure('all'),
      lean: () => measure('lean'),
    })
    return [
      value({
        name: 'memory',
        what: 'memory of an idle plane',
        unit: 'MiB',
        of: 'all',
        target: 280,
        goal: 250,
        samples: { all },
        notes: [formatMemory(seen.all)],
      }),
      value({
        name: 'memory-lean',
        what: 'the same with `apiGroups: lean`',
        unit: 'MiB',
        of: 'lean',
        target: 240,
        goal: 225,
        samples: { lean },
        notes: [formatMemory(seen.lean)],
      }),
    ]
  },
}
