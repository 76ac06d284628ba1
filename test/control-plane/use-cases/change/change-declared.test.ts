import { expect, test } from 'vitest'
import type { DeclaredState, Operators } from '../../../../src/control-plane/declared/operators.ts'
import {
  changeDeclared,
  changedFields,
} from '../../../../src/control-plane/use-cases/change/change-declared.ts'
import { HOSTED, worldWithPlane } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const { signal } = new AbortController()
const FIELDS = [{ path: ['apiServer', 'goGc'], value: 60 }]
const DONE: DeclaredState = { observedGeneration: 2, isProgressing: false, work: '' }

test.for([
  ['nothing', { a: 1 }, { a: 1 }, []],
  ['a field in another one', { a: { b: 1, c: 2 } }, { a: { b: 3, c: 2 } }, [[['a', 'b'], 3]]],
  ['a list as a whole', { a: [1] }, { a: [1, 2] }, [[['a'], [1, 2]]]],
  ['a field that is left out', { a: { b: 1 } }, { a: {} }, [[['a', 'b'], undefined]]],
  ['a new part', {}, { a: { b: 1 } }, [[['a'], { b: 1 }]]],
  ['a name with dots', { a: { 'x.y/z': 1 } }, { a: {} }, [[['a', 'x.y/z'], undefined]]],
] as const)('finds %s', ([_what, before, after, found]) => {
  expect(changedFields(before, after)).toEqual(found.map(([path, value]) => ({ path, value })))
})

test('waits until the operator has done it, and shows its steps', async () => {
  const { change, steps } = await declared([
    { ...DONE, observedGeneration: 1 },
    { ...DONE, isProgressing: true, work: 'Replacing kube-apiserver' },
    DONE,
  ])

  await expect(change()).resolves.toMatchObject({ name: 'dev' })
  expect(steps()).toEqual(['Waiting for the operator', 'Replacing kube-apiserver'])
})

test('fails with what prevents the operator', async () => {
  const { change } = await declared([{ ...DONE, failure: 'the quota is exceeded' }])

  expect(await rejectionOf(change())).toMatchObject({
    code: 'FAILED',
    message: 'the operator cannot change "dev": the quota is exceeded',
  })
})

test('waits while the operator still works on what failed before', async () => {
  const { change } = await declared([
    { ...DONE, isProgressing: true, failure: 'the former failure' },
    DONE,
  ])

  await expect(change()).resolves.toMatchObject({ name: 'dev' })
})

/** A plane whose ControlPlane has these states, one after the other. */
async function declared(states: DeclaredState[]) {
  const { plane, world } = await worldWithPlane(HOSTED)
  const operators: Pick<Operators, 'amend' | 'observe'> = {
    amend: () => Promise.resolve(2),
    observe: () => Promise.resolve((states.length > 1 ? states.shift() : states[0]) ?? DONE),
  }
  const openOperators = () => Promise.resolve(operators)
  const { driver, ui } = world
  return {
    change: () =>
      changeDeclared(
        { openOperators, ui },
        { driver, plane, fields: FIELDS, timeoutMs: 5000, signal },
      ),
    steps: () => ui.steps,
  }
}
