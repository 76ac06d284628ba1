import {
  type AddressBlock,
  blockPeers,
  type NetworkPeer,
  type NetworkPort,
  type NetworkRule,
  PRIVATE,
} from '../../manifests/network/network-rule.ts'
import { isWithin } from '../../shared/network/ip-range.ts'

/** IPv4-mapped addresses: some networks read `::ffff:10.0.0.0/104` as 10.0.0.0/8, as Go's `net.IPNet` prints it. */
const MAPPED = '::ffff:0:0/96'

/**
 * What both a user's rule and the rules of the plane's owner allow, which may be nothing.
 *
 * @param user Its selectors select pods of the plane alone, which the owner always allows.
 * @param owner All rules of the owner for that direction. Each has peers.
 */
export function withinOwner(user: NetworkRule, owner: readonly NetworkRule[]): NetworkRule[] {
  const { peers, ports } = user
  const blocks = (peers ?? [])
    .flatMap(({ ipBlock }) => ipBlock ?? [])
    .filter(({ cidr }) => !isWithin(cidr, MAPPED))
  const includesPods = peers === undefined || blocks.some(isEverywhere)
  const commonPeers = (peer: NetworkPeer): NetworkPeer[] => {
    const { ipBlock } = peer
    if (ipBlock === undefined) {
      return includesPods ? [peer] : []
    }
    return peers === undefined ? [peer] : blocks.flatMap((block) => commonBlock(block, ipBlock))
  }
  const common = owner.map((rule) => ({
    peers: (rule.peers ?? []).flatMap(commonPeers),
    ports: commonPorts(ports, rule.ports),
  }))
  const selected = { peers: (peers ?? []).filter(({ ipBlock }) => ipBlock === undefined), ports }
  // No peers or ports at all would be all of them.
  return [selected, ...common].filter((rule) => rule.peers.length > 0 && rule.ports?.length !== 0)
}

/** Whether a range has all addresses of private networks. */
function isEverywhere({ cidr, except = [] }: AddressBlock): boolean {
  return (
    cidr.endsWith('/0') &&
    !except.some((one) => PRIVATE.some((other) => isWithin(one, other) || isWithin(other, one)))
  )
}

function commonBlock(left: AddressBlock, right: AddressBlock): NetworkPeer[] {
  const excepted = [...(left.except ?? []), ...(right.except ?? [])]
  if (isWithin(left.cidr, right.cidr)) {
    return blockPeers(left.cidr, excepted)
  }
  return isWithin(right.cidr, left.cidr) ? blockPeers(right.cidr, excepted) : []
}

/** Ports of both lists; undefined for all. */
export function commonPorts(
  left: readonly NetworkPort[] | undefined,
  right: readonly NetworkPort[] | undefined,
): NetworkPort[] | undefined {
  if (left === undefined || right === undefined) {
    const ports = left ?? right
    return ports === undefined ? undefined : [...ports]
  }
  return left.flatMap((one) => right.flatMap((other) => commonPort(one, other)))
}

function commonPort(left: NetworkPort, right: NetworkPort): NetworkPort[] {
  const protocol = left.protocol ?? 'TCP'
  if (protocol !== (right.protocol ?? 'TCP')) {
    return []
  }
  if (left.port === undefined || right.port === undefined) {
    return [left.port === undefined ? right : left]
  }
  if (typeof left.port === 'string' || typeof right.port === 'string') {
    return left.port === right.port ? [left] : []
  }
  const first = Math.max(left.port, right.port)
  const last = Math.min(left.endPort ?? left.port, right.endPort ?? right.port)
  if (first > last) {
    return []
  }
  return [{ protocol, port: first, ...(first === last ? {} : { endPort: last }) }]
}
