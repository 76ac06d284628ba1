import { array, assert, constantFrom, property, record, subarray, tuple } from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  blockPeers,
  hasAddress,
  type NetworkPeer,
  type NetworkPort,
  type NetworkRule,
} from '../../../src/manifests/network/network-rule.ts'
import { commonPorts, withinOwner } from '../../../src/syncer/policies/within-owner.ts'

const POD: NetworkPeer = { podSelector: { matchLabels: { app: 'web' } } }
const API: NetworkPeer = { podSelector: { matchLabels: { component: 'kube-apiserver' } } }
const block = (cidr: string, ...except: string[]): NetworkPeer => ({
  ipBlock: { cidr, ...(except.length === 0 ? {} : { except }) },
})
const OWNER: NetworkRule[] = [
  { peers: [API], ports: [{ protocol: 'TCP', port: 6443 }] },
  { peers: [block('0.0.0.0/0', '10.0.0.0/8', '169.254.0.0/16')] },
]

describe('a rule of a user', () => {
  test('without peers becomes the rules of the owner', () => {
    expect(withinOwner({}, OWNER)).toEqual(OWNER)
  })

  test('keeps its pods, which are those of the plane', () => {
    const rule = { peers: [POD], ports: [{ port: 80 }] }

    expect(withinOwner(rule, OWNER)).toEqual([rule])
  })

  test.for([
    ['8.8.0.0/16', [block('8.8.0.0/16')]],
    ['0.0.0.0/0', OWNER[1]?.peers],
    ['0.0.0.0/1', [block('0.0.0.0/1', '10.0.0.0/8')]],
    ['169.254.169.254/32', []],
    ['10.20.0.0/16', []],
    ['::/0', []],
  ] as const)('has of %s what the owner allows', ([cidr, expected]) => {
    const peers = withinOwner({ peers: [block(cidr)] }, OWNER.slice(1)).flatMap(
      (rule) => rule.peers ?? [],
    )

    expect(peers).toEqual(expected)
  })

  test.for([
    '::ffff:169.254.169.254/128',
    '::ffff:10.0.0.0/104',
    '0:0:0:0:0:FFFF:a00:0/104',
    '::ffff:0:0/96',
  ])('has nothing of %s, which some networks read as a range of IPv4', (cidr) => {
    const owner = [{ peers: [block('::/0')] }]

    expect(withinOwner({ peers: [block(cidr)] }, owner)).toEqual([])
    expect(withinOwner({ peers: [block(cidr), block('2001:db8::/32')] }, owner)).toEqual([
      { peers: [block('2001:db8::/32')] },
    ])
  })

  test('keeps its own exceptions', () => {
    expect(withinOwner({ peers: [block('0.0.0.0/0', '8.8.8.8/32')] }, OWNER.slice(1))).toEqual([
      { peers: [block('0.0.0.0/0', '8.8.8.8/32', '10.0.0.0/8', '169.254.0.0/16')] },
    ])
  })

  test('is about pods of the owner if it is about all addresses', () => {
    const peersWith = (...except: string[]) =>
      withinOwner({ peers: [block('0.0.0.0/0', ...except)] }, OWNER.slice(0, 1))

    expect(peersWith()).toEqual(OWNER.slice(0, 1))
    expect(peersWith('169.254.169.254/32')).toEqual(OWNER.slice(0, 1))
    expect(peersWith('10.0.0.0/8')).toEqual([])
  })

  test('never becomes one about all peers or all ports', () => {
    expect(withinOwner({ ports: [{ port: 80 }] }, OWNER.slice(0, 1))).toEqual([])
    expect(withinOwner({ peers: [] }, OWNER)).toEqual([])
    expect(withinOwner({ peers: [block('10.1.0.0/16')] }, OWNER)).toEqual([])
  })
})

test.for([
  [undefined, undefined, undefined],
  [[{ port: 80 }], undefined, [{ port: 80 }]],
  [undefined, [{ port: 80 }], [{ port: 80 }]],
  [[{ port: 80 }], [{ protocol: 'UDP', port: 80 }], []],
  [[{ port: 80 }], [{ port: 80, protocol: 'TCP' }], [{ protocol: 'TCP', port: 80 }]],
  [[{ protocol: 'UDP' }], [{ protocol: 'UDP', port: 53 }], [{ protocol: 'UDP', port: 53 }]],
  [[{ port: 'http' }], [{ port: 'http' }, { port: 80 }], [{ port: 'http' }]],
  [
    [{ port: 8000, endPort: 9000 }],
    [{ port: 8080 }, { port: 8990, endPort: 9100 }],
    [
      { protocol: 'TCP', port: 8080 },
      { protocol: 'TCP', port: 8990, endPort: 9000 },
    ],
  ],
] as const)('of %j and %j both have %j', ([left, right, expected]) => {
  expect(commonPorts(left, right)).toEqual(expected)
})

const networks = constantFrom(
  '0.0.0.0/0',
  '10.0.0.0/8',
  '10.20.0.0/16',
  '8.0.0.0/6',
  '8.8.8.0/24',
  '::/0',
  '2001:db8::/32',
)
const port = record(
  {
    protocol: constantFrom('TCP', 'UDP'),
    port: constantFrom(53, 80, 443),
    endPort: constantFrom(443, 8080),
  },
  { requiredKeys: [] },
)
const rule = record(
  {
    peers: array(
      tuple(networks, subarray(['10.20.0.0/16', '8.8.8.8/32', '10.0.0.0/8'])).map(
        ([cidr, except]) => blockPeers(cidr, except)[0] ?? block('9.9.9.9/32'),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    ports: array(port.filter(isValid), { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: [] },
)

test('allows exactly what the user and the owner both allow', () => {
  const owners = array(
    rule.filter(({ peers }) => peers !== undefined),
    { maxLength: 3 },
  )
  const address = constantFrom(
    '8.8.8.8',
    '8.8.8.9',
    '10.20.0.1',
    '10.1.1.1',
    '169.254.0.1',
    '2001:db8::1',
    '2001:db9::1',
  )
  const target = record({
    address,
    protocol: constantFrom('TCP', 'UDP'),
    port: constantFrom(53, 80, 100, 443, 8080, 9000),
  })

  assert(
    property(rule, owners, target, (user, owner, to) => {
      const isAllowed = withinOwner(user, owner).some((one) => allows(one, to))
      expect(isAllowed).toBe(allows(user, to) && owner.some((one) => allows(one, to)))
    }),
    { numRuns: 1000 },
  )
})

/** As the API server demands it. */
function isValid({ endPort, port: first }: NetworkPort): boolean {
  return endPort === undefined || (first !== undefined && Number(first) <= endPort)
}

function allows(
  { peers, ports }: NetworkRule,
  to: { address: string; port: number; protocol: string },
) {
  const isTo = ({ ipBlock }: NetworkPeer) =>
    ipBlock !== undefined && hasAddress(ipBlock, to.address)
  const isOn = ({ endPort, port: first, protocol = 'TCP' }: NetworkPort) =>
    protocol === to.protocol &&
    (first === undefined || (to.port >= Number(first) && to.port <= (endPort ?? Number(first))))
  return (peers === undefined || peers.some(isTo)) && (ports === undefined || ports.some(isOn))
}
