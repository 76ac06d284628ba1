import { expect, test } from 'vitest'
import { keeperPart, type KeeperWords } from '../../../src/control-plane/status/keeper-part.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'

const usedAt = new Date('2026-01-01T00:00:00Z')
const WORDS: KeeperWords = {
  backup: () => ({ nextAt: usedAt }),
  idle: () => ({ usedAt }),
  alarms: () => [],
}

test.for<[UserSpec, object]>([
  [{}, {}],
  [{ backup: { schedule: 'daily' } }, { backup: { nextAt: usedAt }, alarms: [] }],
  [{ idle: '30m' }, { usedAt, alarms: [] }],
])('says of a plane with %j what its keeper does', ([user, expected]) => {
  expect(keeperPart({ desired: 'running', spec: specOf(user) }, WORDS)).toEqual(expected)
})

test('has no alarms of a plane that rests', () => {
  expect(keeperPart({ desired: 'paused', spec: specOf({ idle: '30m' }) }, WORDS)).toEqual({
    usedAt,
  })
})

test('reads nothing that does not count', () => {
  const refuse = () => {
    throw new Error('a newer vplane wrote it')
  }
  const words = { backup: refuse, idle: refuse, alarms: refuse }

  expect(keeperPart({ desired: 'running', spec: specOf({}) }, words)).toEqual({})
})

function specOf(user: UserSpec) {
  return resolveSpec(user)
}
