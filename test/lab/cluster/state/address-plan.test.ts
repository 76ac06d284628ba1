import { expect, test } from 'vitest'
import { addressPlan, MAX_CLUSTERS, MAX_NODES } from './address-plan.ts'

test('gives a cluster a network, and its nodes addresses and pods of their own', () => {
  expect(addressPlan('h1', 0, 2)).toEqual({
    machineInterface: 'vplane-lab1',
    machineAddress: '10.99.1.1',
    prefixLength: 24,
    server: 'https://10.99.1.10:6443',
    nodes: [
      { name: 'h1-0', index: 0, address: '10.99.1.10', podRange: '10.244.0.0/24' },
      { name: 'h1-1', index: 1, address: '10.99.1.11', podRange: '10.244.1.0/24' },
    ],
  })
})

test('keeps clusters apart, with names of interfaces that Linux takes', () => {
  const plans = Array.from({ length: MAX_CLUSTERS }, (_, index) => addressPlan('x', index, 1))

  expect(new Set(plans.map(({ machineAddress }) => machineAddress)).size).toBe(MAX_CLUSTERS)
  expect(plans.every(({ machineInterface }) => machineInterface.length <= 15)).toBe(true)
})

test.for([
  [MAX_CLUSTERS, 1],
  [0, 0],
  [0, 1.5],
  [0, Number.NaN],
  [0, MAX_NODES + 1],
] as const)('refuses cluster %i with %f nodes', ([index, nodeCount]) => {
  expect(() => addressPlan('x', index, nodeCount)).toThrow(
    expect.objectContaining({ code: 'USAGE' }),
  )
})
