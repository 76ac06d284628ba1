import { describe, expect, test } from 'vitest'
import {
  type OwnerLimits,
  toHostNetworkPolicy,
} from '../../../../src/syncer/translate/kinds/network-policy.ts'
import { toHostPodDisruptionBudget } from '../../../../src/syncer/translate/kinds/pod-disruption-budget.ts'
import { SCOPE, virtualObject } from '../some-objects.ts'

const NAMESPACE = 'vplane.dev/synced-namespace'
const PLANE = { 'app.kubernetes.io/managed-by': 'vplane-syncer', 'vplane.dev/synced-by': 'dev' }
const SHOP = { ...PLANE, [NAMESPACE]: 'shop' }

test('is about pods of its namespace', () => {
  expect(policy({ podSelector: {}, policyTypes: ['Ingress'] })).toEqual({
    podSelector: { matchLabels: SHOP },
    policyTypes: ['Ingress'],
  })
})

test.for([
  [{ podSelector: { matchLabels: { app: 'web' } } }, { matchLabels: { app: 'web', ...SHOP } }],
  [
    { namespaceSelector: {} },
    { matchLabels: PLANE, matchExpressions: [{ key: NAMESPACE, operator: 'Exists' }] },
  ],
  [
    {
      namespaceSelector: { matchLabels: { team: 'a' } },
      podSelector: { matchLabels: { app: 'x' } },
    },
    {
      matchLabels: { app: 'x', ...PLANE },
      matchExpressions: [{ key: NAMESPACE, operator: 'In', values: ['shop', 'stock'] }],
    },
  ],
  [
    { namespaceSelector: { matchLabels: { team: 'c' } } },
    { matchLabels: PLANE, matchExpressions: [{ key: NAMESPACE, operator: 'In', values: [''] }] },
  ],
] as const)('lets in %j', ([peer, podSelector]) => {
  const ports = [{ port: 80 }]

  expect(policy({ ingress: [{ from: [peer], ports }] })).toMatchObject({
    ingress: [{ from: [{ podSelector }], ports }],
  })
})

test('keeps address ranges and rules about everybody', () => {
  const ipBlock = { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] }

  expect(policy({ ingress: [{ from: [{ ipBlock }] }, { ports: [{ port: 1 }] }] })).toMatchObject({
    ingress: [{ from: [{ ipBlock }] }, { ports: [{ port: 1 }] }],
  })
})

test('never makes a rule about nobody it knows one about everybody', () => {
  expect(policy({ ingress: [{ from: ['everybody'] }] })).toMatchObject({
    ingress: [{ from: [{ podSelector: { matchLabels: SHOP } }] }],
  })
})

test('lets pods ask the plane’s DNS server, which no virtual pod is', () => {
  const ports = ['UDP', 'TCP'].map((protocol) => ({ protocol, port: 1053 }))
  const matchLabels = { 'vplane.dev/name': 'dev', 'vplane.dev/component': 'syncer' }
  const dns = { to: [{ podSelector: { matchLabels } }], ports }

  expect(policy({ policyTypes: ['Egress'] })).toMatchObject({ egress: [dns] })
  expect(policy({ egress: [{ to: [{ podSelector: {} }] }] })).toMatchObject({
    egress: [{ to: [{ podSelector: { matchLabels: SHOP } }] }, dns],
  })
})

test('has no egress rules on the host when it is about ingress alone', () => {
  expect(policy({ policyTypes: ['Ingress'], ingress: [{}], egress: [{}] })).toEqual({
    podSelector: { matchLabels: SHOP },
    policyTypes: ['Ingress'],
    ingress: [{}],
  })
})

test.for([
  [{ minAvailable: 2 }, {}, 2],
  [{ minAvailable: '50%' }, { observedGeneration: 3, desiredHealthy: 4 }, 4],
  [{ maxUnavailable: 1 }, { observedGeneration: 3, desiredHealthy: 0 }, 0],
] as const)('keeps with %j and %j that %i pods stay', ([spec, status, minAvailable]) => {
  const host = budget({ ...spec, selector: {}, unhealthyPodEvictionPolicy: 'AlwaysAllow' }, status)

  expect(host).toMatchObject({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' })
  expect(host?.['spec']).toEqual({
    minAvailable,
    selector: { matchLabels: SHOP },
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
  })
})

test('waits until the plane has counted', () => {
  const old = { observedGeneration: 2, desiredHealthy: 4 }

  expect(budget({ maxUnavailable: 1 }, {})).toBeUndefined()
  expect(budget({ maxUnavailable: 1 }, old)).toBeUndefined()
})

test('selects nothing without a selector', () => {
  expect(budget({ minAvailable: 1 }, {})?.['spec']).toEqual({ minAvailable: 1 })
})

describe('within the limits of an owner', () => {
  const api = { podSelector: { matchLabels: { 'vplane.dev/name': 'dev' } } }
  const rules = {
    egress: [{ peers: [{ ipBlock: { cidr: '8.0.0.0/8' } }] }],
    ingress: [{ peers: [{ namespaceSelector: {} }], ports: [{ port: 8080 }] }],
  }
  const limits: OwnerLimits = { rulesFor: (direction) => rules[direction], api: '10.96.0.9' }

  test('a rule about everybody is the owner’s, and DNS is allowed', () => {
    expect(policy({ policyTypes: ['Egress'], egress: [{}] }, limits)).toMatchObject({
      egress: [{ to: [{ ipBlock: { cidr: '8.0.0.0/8' } }] }, { ports: [{ port: 1053 }, {}] }],
    })
    expect(policy({ ingress: [{ ports: [{ port: 80 }, { port: 8080 }] }] }, limits)).toMatchObject({
      ingress: [{ from: [{ namespaceSelector: {} }], ports: [{ protocol: 'TCP', port: 8080 }] }],
    })
  })

  test('nothing in common denies', () => {
    const from = [{ ipBlock: { cidr: '10.0.0.0/8' } }]

    expect(policy({ ingress: [{ from }] }, limits)).toMatchObject({ ingress: [] })
  })

  test.for([
    [['10.96.0.9/32'], undefined, true],
    [['10.96.0.0/16'], [{ port: 443 }], true],
    [['10.96.0.9/32'], [{ port: 80 }], false],
    [['10.97.0.0/16'], undefined, false],
    [['10.96.0.0/16', '10.96.0.9/32'], undefined, false],
  ] as const)('addresses %j and ports %j are those of the API: %s', ([blocks, ports, isApi]) => {
    const [cidr, ...except] = blocks
    const egress = [{ to: [{ ipBlock: { cidr, except } }], ...(ports && { ports }) }]
    const host = policy({ egress }, limits)

    expect(JSON.stringify(host).includes('"port":6443')).toBe(isApi)
    expect(host).toMatchObject({ egress: [...(isApi ? [{ to: [api] }] : []), { to: [api] }] })
  })
})

function policy(spec: Record<string, unknown>, limits?: OwnerLimits) {
  return toHostNetworkPolicy(virtualObject('NetworkPolicy', { spec }), {
    scope: SCOPE,
    limits,
    namespaces: [
      { name: 'shop', labels: { team: 'a' } },
      { name: 'stock', labels: { team: 'a' } },
      { name: 'mail', labels: { team: 'b' } },
    ],
  })['spec']
}

function budget(spec: object, status: object) {
  const metadata = { generation: 3 }
  return toHostPodDisruptionBudget(
    SCOPE,
    virtualObject('PodDisruptionBudget', { spec, status }, metadata),
  )
}
