import { expect, test } from 'vitest'
import { isWokenByAny } from '../../../src/control-plane/plane/is-woken-by-any.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { DriverName } from '../../../src/control-plane/spec/driver-name.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import { thrownBy } from '../../support/thrown-by.ts'

test('any client wakes a plane on this machine, unless its spec says otherwise', () => {
  expect(resolveSpec({ idle: '30m' }).wake).toEqual({ by: 'any' })
  expect(resolveSpec({ idle: '30m', wake: { by: 'plugin' } }).wake).toBeUndefined()
  expect(resolveSpec({}).wake).toBeUndefined()
})

test('any client wakes a plane in a host namespace only on request, declared or not', () => {
  const any = { idle: '30m', wake: { by: 'any' } } as const

  expect(resolveSpec({ idle: '30m' }, 'kubernetes').wake).toBeUndefined()
  expect(resolveSpec(any, 'kubernetes').wake).toEqual({ by: 'any' })
  const declared = resolveSpec(any, 'kubernetes', { isDeclared: true })
  expect([declared.wake, declared.host?.keeper]).toEqual([{ by: 'any' }, undefined])
})

test.for<[DriverName, UserSpec['wake']]>([
  ['local', { by: 'any', from: ['10.0.0.0/8'] }],
  ['kubernetes', { from: ['10.0.0.0/8'] }],
])('limits no addresses where nothing asks for them: %s %j', ([driver, wake]) => {
  expect(thrownBy(() => resolveSpec({ idle: '30m', wake }, driver))).toMatchObject({
    code: 'INVALID_SPEC',
    message: '"wake.from" needs the kubernetes driver and "wake.by: any"',
  })
})

test('a plane that never sleeps is not woken', () => {
  expect(resolveSpec({ wake: { by: 'any' } }).wake).toBeUndefined()
})

test('only a plane that has paused itself is woken by any client', () => {
  const spec = resolveSpec({ idle: '30m' })
  const idleSince = new Date()

  expect(isWokenByAny({ spec, desired: 'paused', idleSince })).toBe(true)
  expect(isWokenByAny({ spec, desired: 'paused' })).toBe(false)
  expect(isWokenByAny({ spec, desired: 'running', idleSince })).toBe(false)
  expect(isWokenByAny({ spec, desired: 'paused', neverStarted: true })).toBe(true)
  const unfinished = ['creation'] as const
  expect(isWokenByAny({ spec, desired: 'paused', neverStarted: true, unfinished })).toBe(false)
  const former = resolveSpec({ idle: '30m', wake: { by: 'plugin' } })
  expect(isWokenByAny({ spec: former, desired: 'paused', idleSince })).toBe(false)
})
