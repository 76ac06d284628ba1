import { expect, test } from 'vitest'
import { awaitSuccessor, type Succession } from '../../../src/compose/launcher/await-successor.ts'

/** Waits for a successor, and returns how often one was started and what was logged. */
async function succession(options: Partial<Succession> & { launch?: Succession['launch'] }) {
  const lines: string[] = []
  let starts = 0
  await awaitSuccessor({
    isAwaited: () => false,
    isReplaced: () => true,
    log: (line) => lines.push(line),
    signal: AbortSignal.timeout(10_000),
    checkMs: 1,
    patienceMs: 100,
    ...options,
    launch:
      options.launch &&
      (async () => {
        starts += 1
        await options.launch?.()
      }),
  })
  return { lines, starts }
}

test('ends for a keeper that waits, although vplane was not replaced', async () => {
  const { starts } = await succession({
    isAwaited: () => true,
    isReplaced: () => false,
    launch: async () => {},
  })

  expect(starts).toBe(0)
})

test('starts the keeper of the new vplane until one waits', async () => {
  let attempts = 0
  const { lines, starts } = await succession({
    isAwaited: () => attempts === 3,
    launch: async () => {
      attempts += 1
      if (attempts === 1) {
        throw new Error('cannot start the keeper')
      }
    },
    patienceMs: 10_000,
  })

  expect(starts).toBe(3)
  expect(lines).toEqual(['error: cannot start the keeper'])
})

test('ends when no keeper of the new vplane starts: the next command starts one', async () => {
  const { starts } = await succession({ launch: async () => {} })

  expect(starts).toBeGreaterThan(1)
})

test('ends at once when a service starts the new vplane', async () => {
  const startedAt = performance.now()

  await succession({ patienceMs: 10_000 })

  expect(performance.now() - startedAt).toBeLessThan(5000)
})

test('stays while neither happens, until it is stopped', async () => {
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 50)

  const { starts } = await succession({
    isReplaced: () => false,
    launch: async () => {},
    signal: stop.signal,
  })

  expect(stop.signal.aborted).toBe(true)
  expect(starts).toBe(0)
})
