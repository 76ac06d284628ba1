import { expect, test } from 'vitest'
import type { Duty } from '../../../src/keeper/duties/duty.ts'
import { keepPlanes, type KeeperPlane } from '../../../src/keeper/duties/keep-planes.ts'

const HOUR_MS = 3_600_000
const never = () => new Promise<never>(() => {})

function plane(name: string, schedule = 'hourly'): KeeperPlane {
  const keep = { hourly: 1, daily: 0, weekly: 0 }
  return { name, id: `id-of-${name}`, driver: 'local', spec: { backup: { schedule, keep } } }
}

/**
 * Runs with one list of planes after the other, and returns which duties started and stopped.
 *
 * @param afterLast called when the last list was read
 */
async function run(
  lists: KeeperPlane[][],
  reconcile: (name: string) => Promise<Date>,
  afterLast: () => void = () => {},
) {
  const lines: string[] = []
  const remaining = [...lists]
  await keepPlanes({
    list: async () => {
      if (remaining.length === 1) {
        setImmediate(afterLast)
      }
      return remaining.shift() ?? []
    },
    dutiesOf: ({ name, spec }) => {
      const words = `${name} ${spec.backup?.schedule}`
      const duty: Duty = {
        reconcile: async (signal) => {
          lines.push(`starts ${words}`)
          signal.addEventListener('abort', () => lines.push(`stops ${words}`))
          return reconcile(name)
        },
      }
      return [duty]
    },
    pollIntervalMs: 1,
    now: () => new Date(),
    log: (line) => lines.push(line),
    signal: AbortSignal.timeout(10_000),
  })
  return lines
}

const inAnHour = async () => new Date(Date.now() + HOUR_MS)

test('does the duties of planes as they come and go, and returns after the last', async () => {
  const lines = await run([[plane('a')], [plane('a'), plane('b')], [plane('b')], []], inAnHour)

  expect(lines).toEqual(['starts a hourly', 'starts b hourly', 'stops a hourly', 'stops b hourly'])
})

test('starts again with another spec', async () => {
  const lines = await run([[plane('a')], [plane('a', 'daily')], []], inAnHour)

  expect(lines).toEqual(['starts a hourly', 'stops a hourly', 'starts a daily', 'stops a daily'])
})

test('survives a duty that fails', async () => {
  const lines = await run([[plane('a')], [plane('a')], []], async () => {
    throw new Error('the disk is full')
  })

  expect(lines).toEqual(['starts a hourly', 'a: error: the disk is full', 'stops a hourly'])
})

test('keeps the planes that it knows when they cannot be listed, and says so once', async () => {
  const stop = new AbortController()
  const lines: string[] = []
  const lists = [[plane('a')], new Error('EMFILE'), new Error('EMFILE'), [plane('a')]]
  await keepPlanes({
    list: async () => {
      const next = lists.shift() ?? (stop.abort(), [])
      if (next instanceof Error) {
        throw next
      }
      return next
    },
    dutiesOf: ({ name }) => [
      {
        reconcile: async () => {
          lines.push(`starts ${name}`)
          return inAnHour()
        },
      },
    ],
    pollIntervalMs: 1,
    now: () => new Date(),
    log: (line) => lines.push(line),
    signal: stop.signal,
  })

  expect(lines).toEqual(['starts a', 'error: cannot list the control planes: EMFILE'])
})

test('lets no plane wait for another one that does not end', async () => {
  const end = Promise.withResolvers<Date>()
  const lines = await run(
    [[plane('a')], [plane('b')], [plane('b'), plane('a', 'daily')], []],
    (name) => (name === 'a' ? end.promise : inAnHour()),
    () => end.resolve(new Date()),
  )

  // Two duties of one plane never work at once.
  expect(lines).toEqual(['starts a hourly', 'stops a hourly', 'starts b hourly', 'stops b hourly'])
})

test('returns at once without planes', async () => {
  expect(await run([], never)).toEqual([])
})

test('waits for the next plane if it is resident, until it is stopped', async () => {
  const stop = new AbortController()
  const lists = [[], [plane('a')], [], [plane('b')], []]
  const started: string[] = []
  await keepPlanes({
    list: async () => lists.shift() ?? (stop.abort(), []),
    dutiesOf: ({ name }) => {
      started.push(name)
      return []
    },
    isResident: true,
    pollIntervalMs: 1,
    now: () => new Date(),
    log: () => {},
    signal: stop.signal,
  })

  expect(started).toEqual(['a', 'b'])
})
