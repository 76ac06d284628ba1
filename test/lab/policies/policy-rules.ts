import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import {
  type Json,
  numberAt,
  recordAt,
  recordsAt,
  textAt,
  textsAt,
} from '../../../src/shared/json-fields.ts'
import { type PolicyEndpoint, selects } from './policy-endpoints.ts'

/** Where a rule of a policy has its peers, and where a packet has their address. */
const DIRECTIONS = {
  ingress: { type: 'Ingress', peers: 'from', address: 'ip saddr' },
  egress: { type: 'Egress', peers: 'to', address: 'ip daddr' },
} as const

export type Direction = keyof typeof DIRECTIONS

/**
 * The nftables rules by which packets return that a policy allows in a direction; undefined when it says nothing about
 * that direction. The API server has filled in the types of the policy and the protocols of its ports:
 * pkg/apis/networking/v1/defaults.go of Kubernetes.
 */
export function policyRules(
  policy: KubeObject,
  direction: Direction,
  endpoints: readonly PolicyEndpoint[],
): string[] | undefined {
  const { address, peers, type } = DIRECTIONS[direction]
  if (!textsAt(policy, 'spec', 'policyTypes').includes(type)) {
    return undefined
  }
  return recordsAt(policy, 'spec', direction).flatMap((rule) => {
    const far = recordsAt(rule, peers)
    const ports = recordsAt(rule, 'ports')
    const { namespace = '' } = policy.metadata
    const ofPeers =
      far.length === 0
        ? [[]]
        : [
            ...podMatches(
              address,
              endpoints.filter((each) => isPeer(far, namespace, each)),
            ),
            ...far.flatMap((peer) => blockMatches(address, peer)),
          ]
    const ofPorts =
      ports.length === 0 ? [[]] : ports.flatMap((port) => portMatches(port, endpoints))
    return ofPeers.flatMap((peer) => ofPorts.map((port) => [...peer, ...port, 'return'].join(' ')))
  })
}

function isPeer(peers: readonly Json[], namespace: string, endpoint: PolicyEndpoint): boolean {
  return peers.some(
    (peer) => recordAt(peer, 'ipBlock') === undefined && selects(peer, namespace, endpoint),
  )
}

/** Matches of one packet each. All of their words have to hold. */
type Matches = string[][]

function podMatches(address: string, endpoints: readonly PolicyEndpoint[]): Matches {
  return endpoints.length === 0 ? [] : [[address, setOf(endpoints.map((each) => each.address))]]
}

/** The lab has no addresses of version 6: nothing comes from there. */
function blockMatches(address: string, peer: Json): Matches {
  const block = textAt(peer, 'ipBlock', 'cidr')
  const except = textsAt(peer, 'ipBlock', 'except').map((each) => `${address} != ${each}`)
  return block === undefined || block.includes(':') ? [] : [[`${address} ${block}`, ...except]]
}

function portMatches(port: Json, endpoints: readonly PolicyEndpoint[]): Matches {
  const protocol = textAt(port, 'protocol')?.toLowerCase() ?? ''
  const first = numberAt(port, 'port')
  if (first !== undefined) {
    const last = numberAt(port, 'endPort') ?? first
    return [[`${protocol} dport ${first === last ? first : `${first}-${last}`}`]]
  }
  const name = textAt(port, 'port')
  if (name === undefined) {
    return [[`meta l4proto ${protocol}`]]
  }
  // Each destination has the port where it says, in both directions.
  const places = endpoints.flatMap(({ address, ports }) =>
    ports
      .filter((each) => each.name === name && each.protocol === protocol)
      .map(({ number }) => `${address} . ${number}`),
  )
  return places.length === 0 ? [] : [[`ip daddr . ${protocol} dport ${setOf(places)}`]]
}

function setOf(elements: readonly string[]): string {
  return `{ ${[...new Set(elements)].join(', ')} }`
}
