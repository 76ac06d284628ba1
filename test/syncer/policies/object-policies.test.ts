import { expect, test } from 'vitest'
import type { Policies } from '../../../src/control-plane/spec/fields/policies-spec.ts'
import {
  claimRefusals,
  tolerationRefusals,
  volumeRefusals,
} from '../../../src/syncer/policies/object-policies.ts'
import { virtualObject } from '../translate/some-objects.ts'

const STRICT: Policies = {
  hostnames: [],
  endpoints: [],
  services: { types: [], loadBalancerAddresses: [] },
  tolerations: [],
}

test.for([
  [[], 'shop.example.com', false],
  [['shop.example.com'], 'shop.example.com', true],
  [['shop.example.com'], 'www.shop.example.com', false],
  [['*.example.com'], 'shop.example.com', true],
  [['*.example.com'], '*.example.com', true],
  [['*.example.com'], 'a.b.example.com', true],
  [['*.example.com'], 'example.com', false],
  [['*.example.com'], 'badexample.com', false],
  [['*'], 'shop.example.com', true],
] as const)('with the host names %j, an Ingress serves %s: %s', ([hostnames, host, isAllowed]) => {
  const policies = { ...STRICT, hostnames: [...hostnames] }
  const expected = isAllowed
    ? []
    : [expect.stringContaining(`host name "${host}" is not allowed, "policies.hostnames: [`)]
  const rule = virtualObject('Ingress', { spec: { rules: [{ host }] } })
  const certificate = virtualObject('Ingress', { spec: { tls: [{ hosts: [host] }] } })

  expect(claimRefusals(policies, 'ingresses', rule)).toEqual(expected)
  expect(claimRefusals(policies, 'ingresses', certificate)).toEqual(expected)
})

test.for([{ rules: [{ http: { paths: [] } }] }, { defaultBackend: { service: { name: 'web' } } }])(
  'needs "*" for an Ingress of all host names: %j',
  (spec) => {
    const ingress = virtualObject('Ingress', { spec })
    const named = { ...STRICT, hostnames: ['*.example.com'] }

    expect(claimRefusals(named, 'ingresses', ingress)).toEqual([
      'an Ingress for all host names is not allowed, "policies.hostnames: ["*"]" in the plane\'s spec would allow it',
    ])
    expect(claimRefusals({ ...STRICT, hostnames: ['*'] }, 'ingresses', ingress)).toEqual([])
  },
)

test.for([
  [{}, undefined],
  [{ type: 'ClusterIP' }, undefined],
  [{ type: 'ExternalName', externalName: 'example.com' }, undefined],
  [{ type: 'NodePort' }, 'policies.services.types: [NodePort]'],
  [{ type: 'LoadBalancer' }, 'policies.services.types: [LoadBalancer]'],
  [{ loadBalancerIP: '203.0.113.9' }, 'policies.services.loadBalancerAddresses: [203.0.113.9/32]'],
] as const)('names what would allow a Service with %j', ([spec, leave]) => {
  const refusals = claimRefusals(STRICT, 'services', virtualObject('Service', { spec }))

  expect(refusals).toEqual(leave === undefined ? [] : [expect.stringContaining(`"${leave}"`)])
})

test('allows types and addresses that the owner names', () => {
  const services = {
    types: ['LoadBalancer' as const],
    loadBalancerAddresses: ['203.0.113.0/28', '2001:db8::/64'],
  }
  const refusals = (spec: object) =>
    claimRefusals({ ...STRICT, services }, 'services', virtualObject('Service', { spec }))

  expect(refusals({ type: 'LoadBalancer', loadBalancerIP: '203.0.113.9' })).toEqual([])
  expect(refusals({ type: 'LoadBalancer', loadBalancerIP: '2001:db8::7' })).toEqual([])
  expect(refusals({ type: 'LoadBalancer', loadBalancerIP: '203.0.113.16' })).toHaveLength(1)
  expect(refusals({ type: 'NodePort' })).toHaveLength(1)
})

test.for([
  [[], { key: 'node.kubernetes.io/not-ready', operator: 'Exists' }, true],
  [[], { key: 'gpu', operator: 'Equal', value: 'a100' }, false],
  [['gpu'], { key: 'gpu', operator: 'Exists' }, true],
  [['example.com/*'], { key: 'example.com/spot' }, true],
  [['gpu'], { operator: 'Exists' }, false],
  [['*'], { operator: 'Exists' }, true],
] as const)('with the tolerations %j, a pod has %j: %s', ([tolerations, one, isAllowed]) => {
  const policies = { ...STRICT, tolerations: [...tolerations] }

  expect(tolerationRefusals(policies, [one])).toHaveLength(isAllowed ? 0 : 1)
})

test.for([
  [undefined, 'nfs', false],
  [undefined, 'emptyDir', true],
  [['nfs'], 'nfs', true],
  [['nfs'], 'emptyDir', false],
  [[], 'emptyDir', false],
  // It holds nothing but objects of the plane.
  [[], 'projected', true],
] as const)('with the volumes %j, a pod has one of type %s: %s', ([volumes, type, isAllowed]) => {
  const policies = { ...STRICT, ...(volumes && { volumes: [...volumes] }) }
  const refusals = volumeRefusals(policies, { type, at: 'spec.volumes[data]' })

  expect(refusals).toEqual(
    isAllowed ? [] : [expect.stringContaining(`spec.volumes[data].${type} is not allowed`)],
  )
})

test('refuses nothing for a plane of an earlier vplane', () => {
  const ingress = virtualObject('Ingress', { spec: { rules: [{}] } })
  const service = virtualObject('Service', { spec: { type: 'LoadBalancer' } })

  expect(claimRefusals(undefined, 'ingresses', ingress)).toEqual([])
  expect(claimRefusals(undefined, 'services', service)).toEqual([])
  expect(tolerationRefusals(undefined, [{ operator: 'Exists' }])).toEqual([])
})
