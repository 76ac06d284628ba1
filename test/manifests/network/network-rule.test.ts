import { expect, test } from 'vitest'
import { NEVER_PEERS } from '../../../src/control-plane/spec/network/network-peers.ts'
import {
  namedPeers,
  type NetworkPeer,
  policyRules,
} from '../../../src/manifests/network/network-rule.ts'
import { isInRanges } from '../../../src/shared/network/ip-range.ts'

test.for([
  [['public'], '8.8.8.8', true],
  [['public'], '10.1.1.1', false],
  [['public'], '100.100.100.200', false],
  [['public'], '2606:4700::1111', true],
  [['public'], 'fd00::1', false],
  [['public'], '64:ff9b::808:808', true],
  [['public'], '64:ff9b::a01:101', false],
  [['10.20.0.0/16'], '10.20.1.1', true],
  [['10.20.0.0/16'], '10.21.1.1', false],
  [['*'], '10.1.1.1', true],
  [['namespace/databases'], '10.1.1.1', false],
] as const)('%j includes %s: %s', ([names, address, expected]) => {
  expect(includes(namedPeers(names), address)).toBe(expected)
})

test.for(['169.254.169.254', '168.63.129.16', 'fe80::1', 'fd00:ec2::254', '64:ff9b::a9fe:a9fe'])(
  '%s is never included',
  (address) => {
    expect(includes(namedPeers(['*', 'public', '160.0.0.0/4', 'fd00::/8']), address)).toBe(false)
  },
)

test('is nobody for a range that is never allowed', () => {
  expect(namedPeers(NEVER_PEERS)).toEqual([])
})

test('has no exception that is not part of its range, or that is part of another one', () => {
  expect(namedPeers(['169.0.0.0/8', 'fc00::/7'])).toEqual([
    { ipBlock: { cidr: '169.0.0.0/8', except: ['169.254.0.0/16'] } },
    { ipBlock: { cidr: 'fc00::/7', except: ['fd00:ec2::254/128'] } },
  ])
})

test('leaves rules about nobody out, which would be about everybody', () => {
  expect(policyRules([{ peers: [] }, { ports: [{ port: 80 }] }], 'to')).toEqual([
    { ports: [{ port: 80 }] },
  ])
})

function includes(peers: readonly NetworkPeer[], address: string): boolean {
  return peers.some(
    ({ ipBlock }) =>
      ipBlock !== undefined &&
      isInRanges(address, [ipBlock.cidr]) &&
      !isInRanges(address, ipBlock.except ?? []),
  )
}
