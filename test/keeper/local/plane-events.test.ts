import { expect, test } from 'vitest'
import type { PlaneEvent } from '../../../src/control-plane/status/plane-status.ts'
import { PlaneEvents, withEvent } from '../../../src/keeper/local/plane-events.ts'

const NOON = new Date('2026-06-01T12:00:00Z')
const woken = { level: 'normal', object: 'ControlPlane/dev', reason: 'Woken' } as const

test('counts an event that happens again, and moves it to the end', () => {
  const events = ['a', 'b', 'a'].reduce<PlaneEvent[]>(
    (all, message) => withEvent(all, { ...woken, message }, NOON),
    [],
  )

  expect(events).toMatchObject([
    { message: 'b', count: 1 },
    { message: 'a', count: 2 },
  ])
})

test('keeps a hundred events of the last hour', () => {
  const later = new Date(NOON.getTime() + 3_600_000)
  const old = withEvent([], { ...woken, message: 'old' }, NOON)
  expect(withEvent(old, { ...woken, message: 'new' }, later)).toHaveLength(1)

  const many = Array.from({ length: 150 }, (_, index) => String(index))
  const events = many.reduce<PlaneEvent[]>(
    (all, message) => withEvent(all, { ...woken, message }, NOON),
    [],
  )
  expect(events.map(({ message }) => message)).toEqual(many.slice(50))
})

test('stores events that happen at the same time', async () => {
  let stored: readonly PlaneEvent[] = []
  const events = new PlaneEvents(() => ({
    read: async () => stored,
    write: async (all) => {
      stored = all
    },
  }))

  await Promise.all(['a', 'b', 'c'].map((message) => events.add('dev', { ...woken, message })))

  expect(stored.map(({ message }) => message)).toEqual(['a', 'b', 'c'])
})
