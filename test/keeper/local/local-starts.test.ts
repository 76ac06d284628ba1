import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Plane } from '../../../src/control-plane/plane/plane.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import { LocalStarts } from '../../../src/keeper/local/local-starts.ts'
import { storedPlane } from '../../support/driver/some-planes.ts'

const spec = resolveSpec({ idle: '5m', wake: { by: 'any' } })
const client = { source: undefined }

test('starts four planes at once for clients, and the fifth when one of these has started', async () => {
  const names = ['one', 'two', 'three', 'four', 'five']
  const planes = names.map((name) =>
    storedPlane(name, { spec, desired: 'paused', idleSince: new Date() }),
  )
  const ends = new Map(names.map((name) => [name, Promise.withResolvers<void>()]))
  onTestFinished(() => ends.forEach(({ resolve }) => resolve()))
  const begun: string[] = []
  const { starts, woken } = startsOf(planes, async ({ name }) => {
    begun.push(name)
    await ends.get(name)?.promise
  })

  planes.forEach((plane) => starts.begin(plane, client))
  await setImmediate()
  const first = [...begun]
  ends.get('three')?.resolve()
  await setImmediate()

  expect(first).toEqual(names.slice(0, 4))
  expect(begun).toEqual(names)
  expect(woken).toEqual(['three'])
})

test('records no wake for a client that comes when the plane was just started', async () => {
  const plane = storedPlane('one', { spec, desired: 'running' })
  const { starts, woken } = startsOf([plane])

  starts.begin(plane, client)
  await starts.of(plane.id)

  expect(woken).toEqual([])
})

function startsOf(
  planes: readonly Plane[],
  start: (plane: { name: string }) => Promise<void> = async () => {},
) {
  const woken: string[] = []
  const starts = new LocalStarts({
    driver: {
      find: async (name) => planes.filter((plane) => plane.name === name),
      isRunning: async () => false,
      start,
      pause: async () => {},
    },
    wakes: {
      admit: async () => {},
      failed: () => {},
      woken: async ({ name }) => void woken.push(name),
    },
    log: () => {},
    report: () => {},
    signal: new AbortController().signal,
  })
  return { starts, woken }
}
