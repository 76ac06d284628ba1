import { type Json, recordAt, recordsAt, textAt, textsAt } from '../../../shared/json-fields.ts'
import type { PodDraft } from '../pod-draft/pod-draft.ts'

/** The DNS settings of a host pod, with the plane's DNS server instead of the cluster's, merged as a kubelet does. */
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
      // The host's API allows 3 and 32 of them.
      nameservers: distinct([context.dns.address, ...textsAt(own, 'nameservers')]).slice(0, 3),
      searches: distinct([...searches, ...textsAt(own, 'searches')]).slice(0, 32),
      options: withOwn([{ name: 'ndots', value: '5' }], recordsAt(own, 'options')),
    },
  }
}

/** The pod's options replace those of the same name. */
function withOwn(options: readonly Json[], own: readonly Json[]): Json[] {
  const replaced = new Set(own.map(({ name }) => name))
  return [...options.filter(({ name }) => !replaced.has(name)), ...own]
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
