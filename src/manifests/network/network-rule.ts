import { NAMESPACE_PEER, NEVER_PEERS } from '../../control-plane/spec/network/network-peers.ts'
import { isInRanges, isWithin } from '../../shared/network/ip-range.ts'
import type { LabelSelector } from '../../shared/kube/label-selector.ts'

export interface AddressBlock {
  cidr: string
  /** Ranges inside it. */
  except?: string[]
}

/** A peer of a NetworkPolicy (networking.k8s.io/v1): a range of addresses, or pods of the host. */
export interface NetworkPeer {
  ipBlock?: AddressBlock
  namespaceSelector?: LabelSelector
  podSelector?: LabelSelector
}

export interface NetworkPort {
  /** @default TCP */
  protocol?: string
  /** A number or the name of a container's port. @default all ports */
  port?: number | string
  endPort?: number
}

/** What a NetworkPolicy allows in one direction. */
export interface NetworkRule {
  /** Nobody, when it is empty. @default everybody */
  peers?: NetworkPeer[]
  /** @default all ports */
  ports?: NetworkPort[] | undefined
}

/** All addresses of each family. */
const EVERYWHERE = ['0.0.0.0/0', '::/0']

/** All peers. On some networks a range of addresses includes pods, and on others it does not. */
export const EVERYBODY: NetworkPeer[] = [
  { namespaceSelector: {} },
  ...EVERYWHERE.map((cidr) => ({ ipBlock: { cidr } })),
]

/**
 * Addresses of networks that are not public: https://www.iana.org/assignments/iana-ipv4-special-registry and -ipv6-; those of
 * IPv4 once more as a network that translates addresses has them (RFC 6052). 192.0.0.0/24 has metadata of Oracle's older cloud.
 */
export const PRIVATE = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  'fc00::/7',
  '64:ff9b::a00:0/104',
  '64:ff9b::6440:0/106',
  '64:ff9b::ac10:0/108',
  '64:ff9b::c000:0/120',
  '64:ff9b::c0a8:0/112',
]

/** Pods of the host with these labels, in the namespace of the policy. */
export function podsWith(matchLabels: Record<string, string>): NetworkPeer {
  return { podSelector: { matchLabels } }
}

/** All pods of namespaces of the host. */
export function namespacePeer(name: string): NetworkPeer {
  return { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } }
}

/** A range of addresses without those that are never allowed, and others; none if nothing of it is left. */
export function rangePeers(cidr: string, others: readonly string[] = []): NetworkPeer[] {
  return blockPeers(cidr, [...NEVER_PEERS, ...others])
}

/** A range of addresses without others; none if nothing of it is left. */
export function blockPeers(cidr: string, others: readonly string[]): NetworkPeer[] {
  if (others.some((one) => isWithin(cidr, one))) {
    return []
  }
  const inside = [...new Set(others)].filter((one) => isWithin(one, cidr))
  const except = inside.filter((one) =>
    inside.every((other) => other === one || !isWithin(one, other)),
  )
  return [{ ipBlock: { cidr, ...(except.length === 0 ? {} : { except }) } }]
}

/** Whether a block has an address; what is no address is in none. */
export function hasAddress({ cidr, except = [] }: AddressBlock, address: string): boolean {
  return isInRanges(address, [cidr]) && !isInRanges(address, except)
}

/** The peers that the spec of a plane names: `public`, `namespace/databases`, `10.20.0.0/16`, `*`. */
export function namedPeers(names: readonly string[]): NetworkPeer[] {
  return names.flatMap((name) => {
    if (name === 'public') {
      return EVERYWHERE.flatMap((cidr) => rangePeers(cidr, PRIVATE))
    }
    if (name === '*') {
      return [{ namespaceSelector: {} }, ...EVERYWHERE.flatMap((cidr) => rangePeers(cidr))]
    }
    return name.startsWith(NAMESPACE_PEER)
      ? [namespacePeer(name.slice(NAMESPACE_PEER.length))]
      : rangePeers(name)
  })
}

/** Rules as a NetworkPolicy has them, for what its pods reach or for what reaches them. */
export function policyRules(rules: readonly NetworkRule[], field: 'to' | 'from'): object[] {
  return rules
    .filter(({ peers }) => peers === undefined || peers.length > 0)
    .map(({ peers, ports }) => ({
      ...(peers === undefined ? {} : { [field]: peers }),
      ...(ports === undefined ? {} : { ports }),
    }))
}
