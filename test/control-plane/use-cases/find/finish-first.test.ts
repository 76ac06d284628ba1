import { expect, test } from 'vitest'
import type { Plane } from '../../../../src/control-plane/plane/plane.ts'
import { finishFirst } from '../../../../src/control-plane/use-cases/find/finish-first.ts'
import { worldWithPlane } from '../../../support/driver/world-with-plane.ts'

const CREATION = ['creation'] as const

test.for<[Partial<Plane>, 'change' | 'pause', number]>([
  [{ unfinished: CREATION }, 'change', 1],
  [{ unfinished: CREATION }, 'pause', 0],
  [{ unfinished: CREATION, desired: 'paused' }, 'change', 0],
  [{ unfinished: ['creation', 'deletion'] }, 'change', 0],
  [{}, 'change', 0],
])('with %j before a %s, a plane is started %i times', async ([fields, verb, times]) => {
  const { driver, plane, world } = await worldWithPlane()
  let starts = 0
  driver.start = async () => {
    starts += 1
  }
  const operation = { ui: world.ui, signal: new AbortController().signal }

  await finishFirst(verb, { driver, plane: { ...plane, ...fields } }, operation)

  expect(starts).toBe(times)
  expect(world.ui.notes).toHaveLength(times)

  await finishFirst(
    verb,
    { driver, plane: { ...plane, ...fields } },
    { ...operation, isDryRun: true },
  )
  expect(starts).toBe(times)
})
