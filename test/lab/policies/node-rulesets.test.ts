import { describe, expect, test } from 'vitest'
import { nodeRulesets } from './node-rulesets.ts'

const NODES = ['h1-0', 'h1-1']
const NAMESPACES = [namespace('a', { team: 'shop' }), namespace('b', {})]
const EVERYTHING = { podSelector: {}, policyTypes: ['Ingress'] }

test('leaves pods alone that no policy selects', () => {
  const pods = [pod('a/web', '10.244.0.2'), pod('b/web', '10.244.0.3')]

  expect(
    isolated({ pods, policies: [policy('a', { ...EVERYTHING, podSelector: role('db') })] }),
  ).toEqual({})
})

test('isolates the pods of a namespace, each on its node', () => {
  const pods = [
    pod('a/web', '10.244.0.2'),
    pod('a/db', '10.244.1.2', { node: 'h1-1' }),
    pod('b/web', '10.244.0.3'),
  ]
  const policies = [policy('a', EVERYTHING)]

  expect(isolated({ pods, policies })).toEqual({ '10.244.0.2 ingress': [] })
  expect(isolated({ pods, policies }, 'h1-1')).toEqual({ '10.244.1.2 ingress': [] })
})

test('replaces the table, and lets established connections, the pod itself and its node pass', () => {
  const state = {
    pods: [pod('a/web', '10.244.0.2')],
    policies: [policy('a', { ...EVERYTHING, policyTypes: ['Ingress', 'Egress'] })],
  }

  expect(rulesetOf(state)).toBe(`table ip vplane-policies {}
delete table ip vplane-policies
table ip vplane-policies {
  chain forward {
    type filter hook forward priority filter
    ct state established,related accept
    ip saddr . ip daddr { 10.244.0.2 . 10.244.0.2 } accept
    ip saddr vmap { 10.244.0.2 : jump egress-0 }
    ip daddr vmap { 10.244.0.2 : jump ingress-0 }
  }
  chain input {
    type filter hook input priority filter
    tcp dport 6443 ct state new ip saddr vmap { 10.244.0.2 : jump egress-0 }
  }
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmp admin-prohibited
  }
  chain egress-0 {
    goto refuse
  }
  chain ingress-0 {
    goto refuse
  }
}
`)
})

test('unites the policies of a pod, and pods with the same ones share their rules', () => {
  const pods = [pod('a/one', '10.244.0.2'), pod('a/two', '10.244.0.3')]
  const policies = [80, 443, 80].map((port) =>
    policy('a', { ...EVERYTHING, ingress: [{ ports: [tcp({ port })] }] }),
  )
  const rules = ['tcp dport 443 return', 'tcp dport 80 return']

  expect(isolated({ pods, policies })).toEqual({
    '10.244.0.2 ingress': rules,
    '10.244.0.3 ingress': rules,
  })
  expect(rulesetOf({ pods, policies }).match(/chain ingress-/g)).toHaveLength(1)
})

test.for<[string, object, string[]]>([
  ['pods of its namespace', { podSelector: role('db') }, ['ip saddr { 10.244.0.3 } return']],
  [
    'pods of namespaces',
    { namespaceSelector: { matchLabels: { team: 'shop' } } },
    ['ip saddr { 10.244.0.2, 10.244.0.3 } return'],
  ],
  [
    'pods of all namespaces',
    { namespaceSelector: {}, podSelector: role('db') },
    ['ip saddr { 10.244.0.3, 10.244.1.4 } return'],
  ],
  ['no pod', { podSelector: role('cache') }, []],
  ['addresses', { ipBlock: { cidr: '10.99.0.0/16' } }, ['ip saddr 10.99.0.0/16 return']],
  [
    'addresses except some',
    { ipBlock: { cidr: '0.0.0.0/0', except: ['10.244.0.0/16', '10.99.1.1/32'] } },
    ['ip saddr 0.0.0.0/0 ip saddr != 10.244.0.0/16 ip saddr != 10.99.1.1/32 return'],
  ],
  ['addresses of version 6, which the lab does not have', { ipBlock: { cidr: 'fd00::/8' } }, []],
])('allows peers: %s', ([, peer, rules]) => {
  const pods = [
    pod('a/web', '10.244.0.2'),
    pod('a/db', '10.244.0.3', { labels: { role: 'db' } }),
    pod('b/db', '10.244.1.4', { labels: { role: 'db' }, node: 'h1-1' }),
  ]
  const policies = [policy('a', { ...EVERYTHING, ingress: [{ from: [peer] }] })]

  expect(isolated({ pods, policies })['10.244.0.2 ingress']).toEqual(rules)
})

test.for<[string, object, string[]]>([
  ['all', {}, ['return']],
  ['one', { ports: [tcp({ port: 80 })] }, ['tcp dport 80 return']],
  ['a range', { ports: [tcp({ port: 80, endPort: 90 })] }, ['tcp dport 80-90 return']],
  ['a range of one', { ports: [tcp({ port: 80, endPort: 80 })] }, ['tcp dport 80 return']],
  ['all of a protocol', { ports: [{ protocol: 'UDP' }] }, ['meta l4proto udp return']],
  ['of other protocols', { ports: [{ protocol: 'SCTP', port: 7 }] }, ['sctp dport 7 return']],
  [
    'by name, where each pod has it',
    { ports: [tcp({ port: 'web' })] },
    ['ip daddr . tcp dport { 10.244.0.2 . 80, 10.244.1.3 . 8080 } return'],
  ],
  ['by a name that none has', { ports: [tcp({ port: 'other' })] }, []],
  ['by a name of another protocol', { ports: [{ protocol: 'UDP', port: 'web' }] }, []],
  [
    'several',
    { ports: [tcp({ port: 1 }), tcp({ port: 2 })] },
    ['tcp dport 1 return', 'tcp dport 2 return'],
  ],
])('allows ports in both directions: %s', ([, rule, rules]) => {
  const pods = [
    pod('a/web', '10.244.0.2', { port: 80 }),
    pod('b/web', '10.244.1.3', { port: 8080, node: 'h1-1' }),
  ]
  const policyTypes = ['Ingress', 'Egress']
  const policies = [policy('a', { podSelector: {}, policyTypes, ingress: [rule], egress: [rule] })]

  expect(isolated({ pods, policies })).toEqual({
    '10.244.0.2 ingress': rules,
    '10.244.0.2 egress': rules,
  })
})

test('needs both a peer and a port of one rule', () => {
  const pods = [pod('a/web', '10.244.0.2'), pod('b/web', '10.244.0.3')]
  const to = [
    { namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] } },
    { ipBlock: { cidr: '10.99.1.1/32' } },
  ]
  const egress = [{ to, ports: [tcp({ port: 80 })] }]
  const policies = [policy('a', { podSelector: {}, policyTypes: ['Egress'], egress })]

  expect(isolated({ pods, policies })).toEqual({
    '10.244.0.2 egress': [
      'ip daddr 10.99.1.1/32 tcp dport 80 return',
      'ip daddr { 10.244.0.3 } tcp dport 80 return',
    ],
  })
})

describe('pods that are neither isolated nor peers', () => {
  test.for<[string, object]>([
    ['they are on the network of their node', { hostNetwork: true }],
    ['they have ended', { phase: 'Succeeded' }],
    ['they have failed', { phase: 'Failed' }],
    ['their node has no network', { node: 'simulated-0' }],
  ])('%s', ([, options]) => {
    const pods = [pod('a/web', '10.244.0.2'), pod('a/other', '10.244.0.3', options)]
    const policies = [policy('a', { ...EVERYTHING, ingress: [{ from: [{ podSelector: {} }] }] })]

    expect(isolated({ pods, policies })).toEqual({
      '10.244.0.2 ingress': ['ip saddr { 10.244.0.2 } return'],
    })
  })

  test('a newer pod has their address', () => {
    const pods = [
      pod('b/new', '10.244.0.2', { creationTimestamp: '2026-01-01T00:00:02Z' }),
      pod('a/old', '10.244.0.2', { creationTimestamp: '2026-01-01T00:00:01Z' }),
    ]

    expect(isolated({ pods, policies: [policy('a', EVERYTHING)] })).toEqual({})
  })
})

test('is the same text whatever the order of objects is', () => {
  const pods = [pod('a/web', '10.244.0.2'), pod('b/web', '10.244.0.3')]
  const policies = ['a', 'b'].map((name) =>
    policy(name, {
      ...EVERYTHING,
      ingress: [{ from: [{ namespaceSelector: {} }] }, { ports: [tcp({ port: 1 })] }],
    }),
  )

  expect(rulesetOf({ pods: pods.toReversed(), policies: policies.toReversed() })).toBe(
    rulesetOf({ pods, policies }),
  )
})

interface State {
  pods: ReturnType<typeof pod>[]
  policies: ReturnType<typeof policy>[]
}

function rulesetOf(state: State, node = 'h1-0'): string {
  return nodeRulesets(NODES, { ...state, namespaces: NAMESPACES }).get(node) ?? ''
}

/** By address and direction, the rules of each isolated pod of a node but for the last one. */
function isolated(state: State, node = 'h1-0'): Record<string, string[]> {
  const ruleset = rulesetOf(state, node)
  const jumps = ruleset.matchAll(/([\d.]+) : jump ((ingress|egress)-\d+)/g)
  return Object.fromEntries(
    [...jumps].map(([, address, chain, direction]) => {
      const [, body = ''] = new RegExp(`chain ${chain} \\{\n(.*?)  \\}`, 's').exec(ruleset) ?? []
      const rules = body
        .trim()
        .split('\n')
        .map((rule) => rule.trim())
      expect(rules.pop()).toBe('goto refuse')
      return [`${address} ${direction}`, rules]
    }),
  )
}

function namespace(name: string, labels: Record<string, string>) {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }
}

function policy(namespace: string, spec: object) {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { namespace },
    spec,
  }
}

function role(name: string) {
  return { matchLabels: { role: name } }
}

function tcp(port: object) {
  return { protocol: 'TCP', ...port }
}

interface PodOptions {
  node?: string
  labels?: Record<string, string>
  /** Of the name `web`. */
  port?: number
  phase?: string
  hostNetwork?: boolean
  creationTimestamp?: string
}

function pod(key: string, podIP: string, options: PodOptions = {}) {
  const [namespace = '', name = ''] = key.split('/')
  const {
    creationTimestamp = '',
    hostNetwork = false,
    labels = {},
    node: nodeName = 'h1-0',
    phase = 'Running',
    port,
  } = options
  const ports = port === undefined ? [] : [tcp({ name: 'web', containerPort: port })]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, labels, creationTimestamp },
    spec: { nodeName, hostNetwork, containers: [{ name, ports }] },
    status: { phase, podIP },
  }
}
