import { expect, test } from 'vitest'
import { READY_AGAIN, wasReady } from '../../../src/control-plane/api/readiness.ts'

test('leaves out the hooks that create the default objects of a new plane, and nothing else', () => {
  const url = new URL(READY_AGAIN, 'https://127.0.0.1')

  expect(url.pathname).toBe('/readyz')
  expect(url.searchParams.getAll('exclude')).toEqual([
    'poststarthook/rbac/bootstrap-roles',
    'poststarthook/scheduling/bootstrap-system-priority-classes',
  ])
})

test.for([
  ['a plane that ran', {}, true],
  ['one that was never started', { neverStarted: true }, false],
  ['one whose creation was interrupted', { unfinished: ['creation'] as const }, false],
  ['one whose change was interrupted', { unfinished: ['change'] as const }, true],
] as const)('knows whether %s was ready before', ([, plane, was]) => {
  expect(wasReady(plane)).toBe(was)
})
