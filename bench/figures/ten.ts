import { setTimeout as delay } from 'node:timers/promises'
import { ratio } from '../compare.ts'
import type { Bench, Figure, Result } from '../figure.ts'
import {
  canMeasureMemory,
  formatMemory,
  planeMemory,
  type ProcessMemory,
  totalMemory,
} from '../plane-memory.ts'
import { REST_MS } from './memory.ts'

const NAMES = Array.from({ length: 10 }, (_, index) => `ten-${index}`)

/** Ten planes at once, beside one alone: how soon they are ready, and what each takes. */
export const tenFigure: Figure = {
  name: 'ten',
  async measure(bench) {
    const samples = { ten: [] as number[], one: [] as number[] }
    const memory = { ten: [] as ProcessMemory[][], one: [] as ProcessMemory[][] }
    for (let round = 0; round < bench.rounds; round += 1) {
      const alone = await startTogether(bench, ['one'])
      samples.one.push(alone.ms * NAMES.length)
      memory.one.push(...alone.memory)
      const together = await startTogether(bench, NAMES)
      samples.ten.push(together.ms)
      memory.ten.push(...together.memory)
    }
    return [timeResult(samples), ...(canMeasureMemory() ? [memoryResult(memory)] : [])]
  },
}

/** Makes planes at the same time, lets them rest, and removes them. */
async function startTogether({ workspace }: Bench, names: readonly string[]) {
  const startedAt = performance.now()
  await Promise.all(names.map((name) => workspace.vplane('create', name, '--no-connect')))
  const ms = performance.now() - startedAt
  if (canMeasureMemory()) {
    await delay(REST_MS, undefined, { signal: workspace.signal })
  }
  const memory = canMeasureMemory() ? names.map((name) => planeMemory(workspace.planes, name)) : []
  await workspace.vplane('delete', ...names, '--yes')
  return { ms, memory }
}

function timeResult(samples: Record<'ten' | 'one', number[]>): Result {
  return ratio({
    name: 'ten',
    what: 'ten planes created at once',
    unit: 'ms',
    of: 'ten',
    to: { samples: 'one', what: 'ten times one' },
    target: 0.7,
    samples,
  })
}

function memoryResult({ one, ten }: Record<'ten' | 'one', ProcessMemory[][]>): Result {
  return ratio({
    name: 'ten-memory',
    what: 'memory of each of ten idle planes',
    unit: 'MiB',
    of: 'ten',
    to: { samples: 'one', what: 'of one alone' },
    target: 1,
    samples: { ten: ten.map(totalMemory), one: one.map(totalMemory) },
    notes: [formatMemory(ten)],
  })
}
