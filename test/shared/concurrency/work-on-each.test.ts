import { expect, test } from 'vitest'
import { workOnEach } from '../../../src/shared/concurrency/work-on-each.ts'

const NEVER = new AbortController().signal

/** Work that ends when it is told to, in any order. */
function heldWork() {
  const ends = new Map<number, PromiseWithResolvers<string>>()
  return {
    begun: () => [...ends.keys()],
    work: (item: number) => {
      const end = Promise.withResolvers<string>()
      ends.set(item, end)
      return end.promise
    },
    end: async (item: number, error?: Error) => {
      const end = ends.get(item)
      if (error === undefined) {
        end?.resolve(`did ${item}`)
      } else {
        end?.reject(error)
      }
      // What waits for it begins.
      await new Promise(setImmediate)
    },
  }
}

test('works on so many at once, and returns what became of each in their order', async () => {
  const { begun, end, work } = heldWork()
  const ended: number[] = []
  const onEnd = ({ item }: { item: number }) => void ended.push(item)

  const all = workOnEach([1, 2, 3, 4], { parallel: 2, signal: NEVER, onEnd }, work)

  expect(begun()).toEqual([1, 2])
  await end(2)
  expect(begun()).toEqual([1, 2, 3])
  await end(3)
  await end(4)
  await end(1)
  expect(ended).toEqual([2, 3, 4, 1])
  expect(await all).toEqual(
    [1, 2, 3, 4].map((item) => ({ item, state: 'done', result: `did ${item}` })),
  )
})

test('continues with the others after a failure', async () => {
  const { begun, end, work } = heldWork()
  const error = new Error('broken')

  const all = workOnEach([1, 2, 3], { parallel: 1, signal: NEVER }, work)
  await end(1, error)
  await end(2)
  await end(3)

  expect(begun()).toEqual([1, 2, 3])
  expect(await all).toEqual([
    { item: 1, state: 'failed', error },
    { item: 2, state: 'done', result: 'did 2' },
    { item: 3, state: 'done', result: 'did 3' },
  ])
})

test('begins no more after a failure if it is told so', async () => {
  const { begun, end, work } = heldWork()
  const error = new Error('broken')
  const options = { parallel: 2, signal: NEVER, stopsAfterFailure: true }

  const all = workOnEach([1, 2, 3], options, work)
  await end(2, error)
  await end(1)

  expect(begun()).toEqual([1, 2])
  expect(await all).toEqual([
    { item: 1, state: 'done', result: 'did 1' },
    { item: 2, state: 'failed', error },
    { item: 3, state: 'not-started' },
  ])
})

test('begins no more after the signal, and says what was interrupted', async () => {
  const { begun, end, work } = heldWork()
  const stop = new AbortController()
  const error = new Error('interrupted')

  const all = workOnEach([1, 2, 3, 4], { parallel: 2, signal: stop.signal }, work)
  stop.abort()
  await end(1)
  await end(2, error)

  expect(begun()).toEqual([1, 2])
  expect(await all).toEqual([
    { item: 1, state: 'done', result: 'did 1' },
    { item: 2, state: 'interrupted', error },
    { item: 3, state: 'not-started' },
    { item: 4, state: 'not-started' },
  ])
})

test('has nothing to do without items', async () => {
  const { work } = heldWork()

  expect(await workOnEach([], { parallel: 8, signal: NEVER }, work)).toEqual([])
})
