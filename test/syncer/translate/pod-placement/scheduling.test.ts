import { expect, test } from 'vitest'
import { namedNodes } from '../../../../src/syncer/translate/pod-placement/host-placement.ts'
import { CONTEXT, hostSpec, podWith, refusalsOf } from '../pods/some-pods.ts'

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'
const NAMESPACE = 'vplane.dev/synced-namespace'
const MARKERS = { 'app.kubernetes.io/managed-by': 'vplane-syncer', 'vplane.dev/synced-by': 'dev' }
const WEB = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'zone' }

test.for([
  ['its own namespace', {}, { [NAMESPACE]: 'shop' }, undefined],
  ['a named one', { namespaces: ['mail'] }, { [NAMESPACE]: 'mail' }, undefined],
  ['named ones', { namespaces: ['mail', 'shop'] }, {}, ['In', ['mail', 'shop']]],
  ['all', { namespaceSelector: {} }, {}, ['Exists', undefined]],
  [
    'those with labels',
    { namespaceSelector: { matchLabels: { team: 'a' } } },
    {},
    ['In', ['shop', 'stock']],
  ],
  [
    'those with labels and named ones',
    { namespaceSelector: { matchLabels: { team: 'b' } }, namespaces: ['shop'] },
    {},
    ['In', ['mail', 'shop']],
  ],
  ['none', { namespaceSelector: { matchLabels: { team: 'c' } } }, {}, ['In', ['']]],
] as const)('looks for pods in %s', ([, where, labels, expression]) => {
  const affinity = { podAntiAffinity: { [REQUIRED]: [{ ...WEB, ...where }] } }
  const [operator, values] = expression ?? []
  const added = {
    matchExpressions: [{ key: NAMESPACE, operator, ...(values === undefined ? {} : { values }) }],
  }

  expect(hostSpec(podWith({ affinity }))['affinity']).toEqual({
    podAntiAffinity: {
      [REQUIRED]: [
        {
          topologyKey: 'zone',
          labelSelector: {
            matchLabels: { app: 'web', ...MARKERS, ...labels },
            ...(expression === undefined ? {} : added),
          },
        },
      ],
    },
  })
})

test('keeps weights, and terms without a selector, which find nothing', () => {
  const podAffinity = {
    [PREFERRED]: [
      { weight: 5, podAffinityTerm: WEB },
      { weight: 1, podAffinityTerm: { topologyKey: 'zone', namespaces: ['mail'] } },
    ],
  }

  expect(hostSpec(podWith({ affinity: { podAffinity } }))['affinity']).toEqual({
    podAffinity: {
      [PREFERRED]: [
        {
          weight: 5,
          podAffinityTerm: {
            topologyKey: 'zone',
            labelSelector: { matchLabels: { app: 'web', ...MARKERS, [NAMESPACE]: 'shop' } },
          },
        },
        { weight: 1, podAffinityTerm: { topologyKey: 'zone' } },
      ],
    },
  })
})

const HASH_IN = { key: 'pod-template-hash', operator: 'In', values: ['abc'] }
const VERSION_NOT_IN = { key: 'version', operator: 'NotIn', values: ['2'] }

test.for([
  ['an old plane did not', []],
  ['the plane did', [HASH_IN, VERSION_NOT_IN]],
] as const)('writes match label keys out once when %s', ([, matchExpressions]) => {
  const term = {
    topologyKey: 'zone',
    labelSelector: { matchLabels: { app: 'web' }, matchExpressions: [...matchExpressions] },
    matchLabelKeys: ['pod-template-hash', 'not-there'],
    mismatchLabelKeys: ['version'],
  }
  const labels = { app: 'web', 'pod-template-hash': 'abc', version: '2' }
  const pod = podWith({ affinity: { podAffinity: { [REQUIRED]: [term] } } }, { labels })

  expect(hostSpec(pod)['affinity']).toEqual({
    podAffinity: {
      [REQUIRED]: [
        {
          topologyKey: 'zone',
          labelSelector: {
            matchLabels: { app: 'web', ...MARKERS, [NAMESPACE]: 'shop' },
            matchExpressions: [HASH_IN, VERSION_NOT_IN],
          },
        },
      ],
    },
  })
})

test('spreads pods among those of the plane and namespace', () => {
  const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }
  const virtual = {
    ...constraint,
    labelSelector: { matchLabels: { app: 'web' } },
    matchLabelKeys: ['pod-template-hash'],
  }
  const pod = podWith(
    { topologySpreadConstraints: [virtual] },
    { labels: { 'pod-template-hash': 'abc' } },
  )

  expect(hostSpec(pod)['topologySpreadConstraints']).toEqual([
    {
      ...constraint,
      labelSelector: {
        matchLabels: { app: 'web', ...MARKERS, [NAMESPACE]: 'shop' },
        matchExpressions: [HASH_IN],
      },
    },
  ])
})

test('keeps node affinity', () => {
  const nodeAffinity = {
    [REQUIRED]: {
      nodeSelectorTerms: [
        { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] },
      ],
    },
  }

  expect(hostSpec(podWith({ affinity: { nodeAffinity } }))['affinity']).toEqual({ nodeAffinity })
})

test('asks the host’s scheduler for the node that a pod has', () => {
  const field = { key: 'metadata.name', operator: 'In', values: ['node-1'] }
  const zone = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }
  const nodeAffinity = { [REQUIRED]: { nodeSelectorTerms: [zone, {}] } }

  expect(hostSpec(podWith({ nodeName: 'node-1' }))['affinity']).toEqual({
    nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [{ matchFields: [field] }] } },
  })
  expect(hostSpec(podWith({ nodeName: 'node-1', affinity: { nodeAffinity } }))['affinity']).toEqual(
    {
      nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [{ ...zone, matchFields: [field] }, {}] } },
    },
  )
})

const CORDONED = { ...CONTEXT, cordonedNodes: ['node-1', 'node-2'] }
const NOT_THERE = ['node-1', 'node-2'].map((name) => ({
  key: 'metadata.name',
  operator: 'NotIn',
  values: [name],
}))

test('keeps new pods from nodes that are cordoned in the plane, wherever else they may be', () => {
  const zone = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }
  const named = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-3'] }] }
  const nodeAffinity = { [REQUIRED]: { nodeSelectorTerms: [zone, named] } }

  expect(hostSpec(podWith(), CORDONED)['affinity']).toEqual({
    nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [{ matchFields: NOT_THERE }] } },
  })
  const own = hostSpec(podWith({ affinity: { nodeAffinity } }), CORDONED)
  expect(own['affinity']).toEqual({
    nodeAffinity: {
      [REQUIRED]: {
        nodeSelectorTerms: [
          { ...zone, matchFields: NOT_THERE },
          { matchFields: [...named.matchFields, ...NOT_THERE] },
        ],
      },
    },
  })
  expect(namedNodes(own)).toEqual(['In node-3', 'NotIn node-1', 'NotIn node-2'])
})

const KEPT_AWAY = ['NotIn node-1', 'NotIn node-2']
const CORDON = 'node.kubernetes.io/unschedulable'

test.for([
  ['tolerate it, as those of DaemonSets', { key: CORDON, operator: 'Exists' }, []],
  ['tolerate everything', { operator: 'Exists' }, []],
  ['tolerate it by its value', { key: CORDON, effect: 'NoSchedule' }, []],
  ['tolerate something else', { key: 'other', operator: 'Exists' }, KEPT_AWAY],
  ['tolerate it later', { key: CORDON, operator: 'Exists', effect: 'NoExecute' }, KEPT_AWAY],
  ['tolerate another value', { key: CORDON, value: 'yes' }, KEPT_AWAY],
] as const)('keeps pods from cordoned nodes or not that %s', ([, toleration, expected]) => {
  expect(namedNodes(hostSpec(podWith({ tolerations: [toleration] }), CORDONED))).toEqual(expected)
})

test('lets a pod be on a cordoned node that it has in the plane', () => {
  expect(namedNodes(hostSpec(podWith({ nodeName: 'node-1' }), CORDONED))).toEqual(['In node-1'])
})

test('asks the host for nothing but the node that a scheduler of the plane has chosen', () => {
  const rules = {
    affinity: { nodeAffinity: { [REQUIRED]: {} }, podAntiAffinity: { [REQUIRED]: [WEB] } },
    nodeSelector: { 'plane.example.com/disk': 'fast' },
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', labelSelector: {} }],
  }
  const context = { ...CORDONED, scheduler: 'virtual' } as const

  const placed = hostSpec(podWith({ ...rules, nodeName: 'node-1' }), context)
  const waiting = hostSpec(podWith(rules), context)

  const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }]
  expect(placed).toMatchObject({ tolerations: rules.tolerations })
  expect(placed['affinity']).toEqual({
    nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [{ matchFields }] } },
  })
  for (const spec of [placed, waiting]) {
    expect(spec).not.toHaveProperty('nodeName')
    expect(spec).not.toHaveProperty('nodeSelector')
    expect(spec).not.toHaveProperty('topologySpreadConstraints')
  }
  expect(waiting).not.toHaveProperty('affinity')
})

test('refuses a term that it cannot translate', () => {
  const term = { ...WEB, hostNamespaces: ['kube-system'] }

  expect(refusalsOf(podWith({ affinity: { podAffinity: { [REQUIRED]: [term] } } }))).toEqual([
    expect.stringContaining('[0].hostNamespaces is unknown'),
  ])
})
