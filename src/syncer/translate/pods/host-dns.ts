import { type Json, recordAt, recordsAt, textAt, textsAt } from '../../../shared/json-fields.ts'
import type { PodDraft } from '../pod-draft/pod-draft.ts'

/** What the host's API takes at most. */
const MOST_SERVERS = 3
const MOST_SEARCHES = 32

/**
 * How a pod finds names on the host: by the plane's DNS server where it would ask its cluster's, with what the pod adds
 * itself, put together as a kubelet does; otherwise as it says.
 */
export function toHostDns({ context, pod }: PodDraft): Json {
  const { spec } = pod
  const policy = textAt(spec, 'dnsPolicy') ?? 'ClusterFirst'
  const own = recordAt(spec, 'dnsConfig') ?? {}
  const asksCluster =
    policy === 'ClusterFirstWithHostNet' ||
    (policy === 'ClusterFirst' && spec['hostNetwork'] !== true)
  if (!asksCluster || context.dns === undefined) {
    return {
      dnsPolicy: policy === 'None' ? 'None' : 'Default',
      ...(Object.keys(own).length === 0 ? {} : { dnsConfig: own }),
    }
  }
  const domain = context.clusterDomain
  const searches = [`${pod.namespace}.svc.${domain}`, `svc.${domain}`, domain]
  return {
    dnsPolicy: 'None',
    dnsConfig: {
      nameservers: distinct([context.dns.address, ...textsAt(own, 'nameservers')]).slice(
        0,
        MOST_SERVERS,
      ),
      searches: distinct([...searches, ...textsAt(own, 'searches')]).slice(0, MOST_SEARCHES),
      options: withOwn([{ name: 'ndots', value: '5' }], recordsAt(own, 'options')),
    },
  }
}

/** Options of the pod replace those of the same name. */
function withOwn(options: readonly Json[], own: readonly Json[]): Json[] {
  const replaced = new Set(own.map(({ name }) => name))
  return [...options.filter(({ name }) => !replaced.has(name)), ...own]
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
