import { expect, test } from 'vitest'
import type { Duty } from '../../../src/keeper/duties/duty.ts'
import { keepPlanes, type KeeperPlane } from '../../../src/keeper/duties/keep-planes.ts'

const HOUR_MS = 3_600_000
const never = () => new Promise<never>(() => {})

function plane(name: string, schedule = 'hourly'): KeeperPlane {
  const keep = { hourly: 1, daily: 0, weekly: 0 }
  return { name, id: `id-of-${name}`, driver: 'local', spec: { backup: { schedule, keep } } }
}

/** Runs with one list of planes after the other, and says whose work began and ended. */
async function run(lists: KeeperPlane[][], look: () => Promise<Date>) {
  const said: string[] = []
  const remaining = [...lists]
  await keepPlanes({
    list: async () => remaining.shift() ?? [],
    dutiesOf: ({ name, spec }) => {
      const words = `${name} ${spec.backup?.schedule}`
      const duty: Duty = {
        look: async (signal) => {
          said.push(`looks at ${words}`)
          signal.addEventListener('abort', () => said.push(`leaves ${words}`))
          return look()
        },
      }
      return [duty]
    },
    lookMs: 1,
    now: () => new Date(),
    log: (line) => said.push(line),
    signal: AbortSignal.timeout(10_000),
  })
  return said
}

const inAnHour = async () => new Date(Date.now() + HOUR_MS)

test('looks after planes as they come and go, and ends with the last', async () => {
  const said = await run([[plane('a')], [plane('a'), plane('b')], [plane('b')], []], inAnHour)

  expect(said).toEqual([
    'looks at a hourly',
    'looks at b hourly',
    'leaves a hourly',
    'leaves b hourly',
  ])
})

test('begins anew with another spec', async () => {
  const said = await run([[plane('a')], [plane('a', 'daily')], []], inAnHour)

  expect(said).toEqual([
    'looks at a hourly',
    'leaves a hourly',
    'looks at a daily',
    'leaves a daily',
  ])
})

test('survives what goes wrong with one of them', async () => {
  const said = await run([[plane('a')], [plane('a')], []], async () => {
    throw new Error('the disk is full')
  })

  expect(said).toEqual(['looks at a hourly', 'error: the disk is full', 'leaves a hourly'])
})

test('ends at once where nothing needs it', async () => {
  expect(await run([], never)).toEqual([])
})
