import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { toHostMetadata } from '../host-metadata.ts'
import { IMAGES_ANNOTATION } from '../markers.ts'
import { withMarks } from '../written.ts'
import { copiedFields, refusedFields } from '../field-decisions.ts'
import { provided } from '../reading.ts'
import { restrictedContainerRefusals, restrictedRefusals } from '../../policies/restricted-pods.ts'
import { ownRulesLabels } from './own-rules-labels.ts'
import { tolerationRefusals } from '../../policies/object-policies.ts'
import { type Refusal, toRefusal } from '../refusal.ts'
import { toHostContainer, toHostContainers } from './host-containers.ts'
import {
  COPIED_POD_FIELDS,
  DNS_FIELDS,
  EPHEMERAL_CONTAINER_FIELDS,
  EPHEMERAL_FIELDS,
  POD_FIELDS,
} from './pod-spec-fields.ts'
import { toHostPlacement } from '../pod-placement/host-placement.ts'
import { toHostVolumes } from './host-volumes.ts'
import type { PodContext } from '../pod-draft/pod-context.ts'
import {
  demand,
  draftOf,
  needsOf,
  type PodDraft,
  type PodNeeds,
  toHostReference,
} from '../pod-draft/pod-draft.ts'
import { checkedPodSecurity } from './security-rules.ts'
import { type Json, recordAt, recordsAt, textAt, textsAt } from '../../../shared/json-fields.ts'

export interface HostPod {
  pod: KubeObject
  needs: PodNeeds
}

/** Why the host must not have a pod, and what that needs: one that other rules allowed still runs. */
export interface RefusedPod extends Refusal {
  needs: PodNeeds
}

const HOST_FIELDS = ['hostIPC', 'hostNetwork', 'hostPID'] as const

/** The host pod of a virtual one, which refers only to objects of its plane; or why the host must not have it. */
export function toHostPod(virtual: KubeObject, context: PodContext): HostPod | RefusedPod {
  const draft = draftOf(virtual, context)
  // A running pod has ephemeral containers, whose refusals must not affect it.
  const { ephemeralContainers: _, ...decided } = draft.pod.spec
  const spec = toHostSpec(draft)
  const refusals = [
    ...refusedFields(POD_FIELDS, { ...virtual, spec: decided }),
    ...tolerationRefusals(context.scope.policies, recordsAt(decided, 'tolerations')),
    ...restrictedRefusals(context.scope.policies, decided),
    ...draft.refusals,
  ]
  if (refusals.length > 0) {
    return { ...toRefusal(refusals), needs: needsOf(draft) }
  }
  // Without a controller, a drain of the host's node would need --force, and autoscalers would keep the node.
  const owner = context.owner && { ...context.owner, controller: true as const }
  const metadata = toHostMetadata({ scope: context.scope, resource: 'pods', owner }, virtual)
  const annotations = {
    ...metadata.annotations,
    ...Object.fromEntries(draft.annotations),
    [IMAGES_ANNOTATION]: JSON.stringify(imagesIn(spec)),
  }
  const labels = { ...metadata.labels, ...ownRulesLabels(virtual, context.networkPolicies) }
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, labels, annotations },
    spec,
  }
  return { pod: withMarks(pod), needs: needsOf(draft) }
}

function imagesIn(spec: Json): Json {
  const containers = ['initContainers', 'containers'].flatMap((list) => recordsAt(spec, list))
  return Object.fromEntries(containers.map(({ image, name }) => [String(name), image]))
}

/** The host container of an ephemeral one; it can only mount volumes that the pod has. */
export function toHostEphemeralContainer(
  virtual: KubeObject,
  container: Json,
  context: PodContext,
): { container: Json } | Refusal {
  const draft = draftOf(virtual, context)
  const at = `spec.ephemeralContainers[${String(container['name'])}]`
  const { policies } = context.scope
  const own = copiedFields(EPHEMERAL_FIELDS, container)
  const translated = { ...toHostContainer(draft, container, at), ...own }
  const refusals = [
    ...refusedFields(EPHEMERAL_CONTAINER_FIELDS, container, at),
    ...restrictedContainerRefusals(policies, { container, spec: draft.pod.spec, at }),
    ...draft.refusals,
  ]
  return refusals.length > 0 ? toRefusal(refusals) : { container: translated }
}

function toHostSpec(draft: PodDraft): Json {
  const { spec } = draft.pod
  for (const field of HOST_FIELDS) {
    if (spec[field] === true) {
      demand(draft, field, `spec.${field}`)
    }
  }
  addEphemeralNeeds(draft)
  const security = recordAt(spec, 'securityContext')
  const lists = {
    imagePullSecrets: recordsAt(spec, 'imagePullSecrets').map((reference, index) => {
      const at = `spec.imagePullSecrets[${index}]`
      return toHostReference(draft, reference, { kind: 'secrets', field: 'name', at })
    }),
    initContainers: toHostContainers(draft, 'initContainers'),
    volumes: toHostVolumes(draft),
  }
  return {
    ...copiedFields(COPIED_POD_FIELDS, spec),
    ...provided(lists),
    ...toHostDns(draft),
    ...toHostNames(draft),
    ...toHostClasses(draft),
    ...toHostPlacement(draft),
    ...provided({ securityContext: security && checkedPodSecurity(draft, security) }),
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    containers: toHostContainers(draft, 'containers'),
  }
}

/** A running pod has them: the objects that they need must stay, and their refusals must not affect the pod. */
function addEphemeralNeeds(draft: PodDraft): void {
  for (const container of recordsAt(draft.pod.spec, 'ephemeralContainers')) {
    toHostContainer({ ...draft, refusals: [] }, container, 'spec.ephemeralContainers')
  }
}

/** The DNS settings of a host pod, with the plane's DNS server instead of the cluster's, merged as a kubelet does. */
function toHostDns({ context, pod }: PodDraft): Json {
  const { spec } = pod
  const policy = textAt(spec, 'dnsPolicy') ?? 'ClusterFirst'
  const own = copiedFields(DNS_FIELDS, recordAt(spec, 'dnsConfig') ?? {})
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

/**
 * Not `subdomain`: the host's kubelet would write a name of the host's domain into /etc/hosts, which precedes the
 * plane's DNS. That answers `web-0.db.shop.svc.cluster.local`, so stateful pods find each other, and only `hostname
 * --fqdn` is short.
 */
function toHostNames({ pod, refusals }: PodDraft): Json {
  const { spec } = pod
  if (spec['setHostnameAsFQDN'] === true && textAt(spec, 'subdomain') !== undefined) {
    refusals.push(
      'spec.setHostnameAsFQDN is not possible with spec.subdomain: it would be a name of the host cluster, use spec.hostnameOverride',
    )
  }
  return provided({
    hostname: textAt(spec, 'hostname') ?? toLabel(pod.name),
    hostnameOverride: textAt(spec, 'hostnameOverride'),
  })
}

function toLabel(name: string): string {
  return name.replaceAll('.', '-').slice(0, 63).replace(/-+$/, '')
}

/** A host pod's classes: unknown priorities, even `system-node-critical`, are ignored; runtimes, for isolation, are refused. */
function toHostClasses({ context, pod, refusals }: PodDraft): Json {
  const runtime = textAt(pod.spec, 'runtimeClassName')
  if (runtime !== undefined && !context.runtimeClasses.includes(runtime)) {
    refusals.push(
      `spec.runtimeClassName "${runtime}" is not allowed for pods of this plane, "sync.runtimeClasses: [${runtime}]" in the plane's spec would allow it`,
    )
  }
  return provided({
    priorityClassName: context.priorityClasses.get(textAt(pod.spec, 'priorityClassName') ?? ''),
    runtimeClassName: runtime,
  })
}
