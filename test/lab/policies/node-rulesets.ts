import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { recordAt } from '../../../src/shared/json-fields.ts'
import { API_SERVER_PORT } from '../cluster/state/address-plan.ts'
import {
  type PolicyEndpoint,
  policyEndpoints,
  type PolicyObjects,
  selects,
} from './policy-endpoints.ts'
import { type Direction, policyRules } from './policy-rules.ts'

const TABLE = 'table ip vplane-policies'

/** A client learns at once that it may not connect, and tests need not wait for that. */
const REFUSAL = ['meta l4proto tcp reject with tcp reset', 'reject with icmp admin-prohibited']

/** A policy as rules of nftables. */
interface Policy {
  selects: (endpoint: PolicyEndpoint) => boolean
  rules: Record<Direction, string[] | undefined>
}

/**
 * What enforces network policies on each node, for `nft -f -`: it replaces the rules that are there. A packet passes the
 * rules of its source on the node of the source, and those of its destination on the node of the destination. Rules see
 * the addresses of pods, also where a client used that of a Service.
 */
export function nodeRulesets(
  nodes: readonly string[],
  { policies, ...objects }: PolicyObjects & { policies: Iterable<KubeObject> },
): Map<string, string> {
  const endpoints = policyEndpoints(nodes, objects)
  const all = [...policies].map((policy): Policy => {
    const { namespace = '' } = policy.metadata
    const podSelector = recordAt(policy, 'spec', 'podSelector') ?? {}
    return {
      selects: (endpoint) => selects({ podSelector }, namespace, endpoint),
      rules: {
        ingress: policyRules(policy, 'ingress', endpoints),
        egress: policyRules(policy, 'egress', endpoints),
      },
    }
  })
  const onNode = (name: string) => endpoints.filter(({ node }) => node === name)
  return new Map(nodes.map((node) => [node, ruleset(onNode(node), all)]))
}

function ruleset(endpoints: readonly PolicyEndpoint[], policies: readonly Policy[]): string {
  const egress = isolation('egress', endpoints, policies)
  const ingress = isolation('ingress', endpoints, policies)
  const isolated = [...new Set([...egress.addresses, ...ingress.addresses])]
  // Nothing keeps a pod from itself, also through a Service.
  const selves = isolated.map((address) => `${address} . ${address}`).join(', ')
  return [
    `${TABLE} {}`,
    `delete ${TABLE}`,
    `${TABLE} {`,
    ...chain('forward', [
      'type filter hook forward priority filter',
      'ct state established,related accept',
      ...(selves === '' ? [] : [`ip saddr . ip daddr { ${selves} } accept`]),
      ...egress.jumps.map((map) => `ip saddr ${map}`),
      ...ingress.jumps.map((map) => `ip daddr ${map}`),
    ]),
    // A pod always reaches its node. The host's API server is on one of them only here, so it is not part of it.
    ...chain('input', [
      'type filter hook input priority filter',
      ...egress.jumps.map((map) => `tcp dport ${API_SERVER_PORT} ct state new ip saddr ${map}`),
    ]),
    ...chain('refuse', REFUSAL),
    ...egress.chains,
    ...ingress.chains,
    '}',
    '',
  ].join('\n')
}

/** The chains of the pods that policies isolate in a direction; pods with the same rules share one. */
function isolation(
  direction: Direction,
  endpoints: readonly PolicyEndpoint[],
  policies: readonly Policy[],
) {
  const isolated = endpoints.flatMap((endpoint) => {
    const ofEndpoint = policies.flatMap(({ rules, selects }) => {
      const ofDirection = rules[direction]
      return ofDirection !== undefined && selects(endpoint) ? [ofDirection] : []
    })
    const rules = [...new Set(ofEndpoint.flat())].toSorted()
    return ofEndpoint.length === 0 ? [] : [{ address: endpoint.address, rules }]
  })
  const groups = [...Map.groupBy(isolated, ({ rules }) => rules.join('\n')).values()]
  const jumps = groups.flatMap((group, index) =>
    group.map(({ address }) => `${address} : jump ${direction}-${index}`),
  )
  return {
    addresses: isolated.map(({ address }) => address),
    jumps: jumps.length === 0 ? [] : [`vmap { ${jumps.join(', ')} }`],
    chains: groups.flatMap(([first], index) =>
      chain(`${direction}-${index}`, [...(first?.rules ?? []), 'goto refuse']),
    ),
  }
}

function chain(name: string, lines: readonly string[]): string[] {
  return [`  chain ${name} {`, ...lines.map((line) => `    ${line}`), '  }']
}
