import { expect, test } from 'vitest'
import { namesOneOf, ownEndpoints } from '../../../src/syncer/policies/own-endpoints.ts'
import { virtualObject } from '../translate/some-objects.ts'

const POLICIES = {
  hostnames: [],
  endpoints: ['10.20.0.0/16'],
  services: { types: [], loadBalancerAddresses: [] },
  tolerations: [],
}
const hostPods = [
  virtualObject('Pod', { status: { podIPs: [{ ip: '10.1.0.5' }, { ip: 'fd00::5' }] } }),
  virtualObject('Pod', { status: { phase: 'Succeeded', podIPs: [{ ip: '10.1.0.9' }] } }),
  virtualObject('Pod', { spec: { hostNetwork: true }, status: { podIPs: [{ ip: '192.0.2.1' }] } }),
]

const slice = (...addresses: string[]) =>
  virtualObject('EndpointSlice', { endpoints: addresses.map((one) => ({ addresses: [one] })) })

test.for([
  ['a pod of the plane', '10.1.0.5', true],
  ['a pod of the plane, by its other address', 'fd00::5', true],
  ['a range that the owner names', '10.20.3.4', true],
  ['a pod of another tenant', '10.1.0.6', false],
  ['a pod that has ended', '10.1.0.9', false],
  ['a node', '192.0.2.1', false],
  ['a name', 'db.example.com', false],
] as const)('has endpoints of %s: %s', ([, address, isAllowed]) => {
  const { refusals, slice: own } = ownEndpoints(slice('10.1.0.5', address), {
    policies: POLICIES,
    hostPods,
  })

  expect(own['endpoints']).toEqual([
    { addresses: ['10.1.0.5'] },
    ...(isAllowed ? [{ addresses: [address] }] : []),
  ])
  expect(refusals).toEqual(isAllowed ? [] : [expect.stringContaining(`[${address}/32]`)])
})

test('has all endpoints for a plane of an earlier vplane', () => {
  const virtual = slice('10.1.0.6')

  expect(ownEndpoints(virtual, { policies: undefined, hostPods: [] })).toEqual({
    slice: virtual,
    refusals: [],
  })
})

test('knows which slices a pod is in', () => {
  expect(namesOneOf(slice('10.1.0.5'), ['10.1.0.5'])).toBe(true)
  expect(namesOneOf(slice('10.1.0.5'), ['10.1.0.6'])).toBe(false)
})
