import { expect, test } from 'vitest'
import { labsAtOnce, sharedLab } from './shared-labs.ts'

test.each([
  ['h1', 1],
  ['h1,h2,h3', 3],
])('as many files at once as there are clusters: %s', (VPLANE_TEST_LAB, count) => {
  expect(labsAtOnce({ VPLANE_TEST_LAB })).toBe(count)
})

test('two files at a time, unless another number is asked for', () => {
  expect(labsAtOnce({})).toBe(2)
  expect(labsAtOnce({ VPLANE_TEST_LABS: '1' })).toBe(1)
})

test('one file at a time in the cluster of someone else', () => {
  expect(labsAtOnce({ VPLANE_TEST_KUBECONFIG: '/home/ada/.kube/config' })).toBe(1)
})

test.each([
  ['1', 'h1'],
  ['2', 'h2'],
  ['3', 'h1'],
  [undefined, 'h1'],
])('process %s of those that run at once has %s', (VITEST_POOL_ID, name) => {
  expect(sharedLab({ VPLANE_TEST_LAB: 'h1,h2', VITEST_POOL_ID })).toBe(name)
})

test('no cluster where none is named', () => {
  expect(sharedLab({ VITEST_POOL_ID: '1' })).toBeUndefined()
})
