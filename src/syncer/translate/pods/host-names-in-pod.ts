import { type Json, textAt } from '../reading.ts'
import type { PodDraft } from '../pod-draft/pod-draft.ts'

/**
 * What a pod on the host calls itself: its virtual name, since the host's is another one.
 *
 * Not `subdomain`: with it the host's kubelet would write `web-0.db.<host namespace>.svc.<host domain>` into
 * /etc/hosts, before every answer of the plane's DNS. `web-0.db.shop.svc.cluster.local` is answered by that DNS, which
 * reads it from the plane; so stateful pods find each other and themselves, and only `hostname --fqdn` is short.
 */
export function toHostNames({ pod, refusals }: PodDraft): Json {
  const { spec } = pod
  if (spec['setHostnameAsFQDN'] === true && textAt(spec, 'subdomain') !== undefined) {
    refusals.push(
      'spec.setHostnameAsFQDN is not possible with spec.subdomain: it would be a name of the host cluster, use spec.hostnameOverride',
    )
  }
  const override = textAt(spec, 'hostnameOverride')
  return {
    hostname: textAt(spec, 'hostname') ?? toLabel(pod.name),
    ...(override === undefined ? {} : { hostnameOverride: override }),
  }
}

function toLabel(name: string): string {
  return name.replaceAll('.', '-').slice(0, 63).replace(/-+$/, '')
}
