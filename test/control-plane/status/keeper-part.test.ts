import { expect, test } from 'vitest'
import { keeperPart, type KeeperReaders } from '../../../src/control-plane/status/keeper-part.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'

const usedAt = new Date('2026-01-01T00:00:00Z')
const NO_WAKES = { count: 0, recent: [], watchers: [] }
const READERS: KeeperReaders = {
  backup: () => ({ nextAt: usedAt }),
  idle: () => ({ usedAt }),
  alarms: () => [],
  wakes: () => NO_WAKES,
}

test.for<[UserSpec, object]>([
  [{}, {}],
  [{ backup: { schedule: 'daily' } }, { backup: { nextAt: usedAt }, alarms: [] }],
  [
    { idle: '30m', wake: { by: 'plugin' } },
    { usedAt, alarms: [] },
  ],
  [
    { idle: '30m', wake: { by: 'any' } },
    { usedAt, alarms: [], wakes: NO_WAKES },
  ],
])('has the part of a keeper for %j', ([user, expected]) => {
  expect(keeperPart({ desired: 'running', spec: resolveSpec(user) }, READERS)).toEqual(expected)
})

test('has no alarms of a paused plane', () => {
  expect(
    keeperPart({ desired: 'paused', spec: resolveSpec({ idle: '30m' }, 'kubernetes') }, READERS),
  ).toEqual({
    usedAt,
  })
})

test('reads only what the plane needs', () => {
  const refuse = () => {
    throw new Error('a newer vplane wrote it')
  }
  const readers = { backup: refuse, idle: refuse, alarms: refuse, wakes: refuse }

  expect(keeperPart({ desired: 'running', spec: resolveSpec({}) }, readers)).toEqual({})
})
