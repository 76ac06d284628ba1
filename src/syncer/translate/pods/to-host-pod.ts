import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { toHostMetadata } from '../host-metadata.ts'
import { KEYS_ANNOTATION } from '../markers.ts'
import { picked } from '../reading.ts'
import type { Refusal } from '../refusal.ts'
import { toHostContainer, toHostContainers } from './host-containers.ts'
import { toHostDns } from './host-dns.ts'
import { toHostPlacement } from '../pod-placement/host-placement.ts'
import { toHostVolumes } from './host-volumes.ts'
import type { PodContext } from '../pod-draft/pod-context.ts'
import {
  demand,
  draftOf,
  knownFields,
  needsOf,
  type PodDraft,
  type PodNeeds,
  toHostReference,
} from '../pod-draft/pod-draft.ts'
import { checkedPodSecurity } from './security-rules.ts'
import { type Json, recordAt, recordsAt, textAt } from '../../../shared/json-fields.ts'

export interface HostPod {
  pod: KubeObject
  needs: PodNeeds
}

export interface HostEphemeralContainer {
  container: Json
  needs: PodNeeds
}

/** Fields of the node that a pod may share. */
const HOST_FIELDS = ['hostIPC', 'hostNetwork', 'hostPID'] as const

/** The same on the host. */
const KEPT_FIELDS = [
  ...HOST_FIELDS,
  'activeDeadlineSeconds',
  'hostAliases',
  'hostUsers',
  'os',
  'resources',
  'restartPolicy',
  'shareProcessNamespace',
  'terminationGracePeriodSeconds',
  'tolerations',
]

/** Written anew for the host. */
const TRANSLATED_FIELDS = [
  'affinity',
  'containers',
  'dnsConfig',
  'dnsPolicy',
  'hostname',
  'hostnameOverride',
  'imagePullSecrets',
  'initContainers',
  'nodeSelector',
  'priorityClassName',
  'runtimeClassName',
  'securityContext',
  'topologySpreadConstraints',
  'volumes',
]

/**
 * What the host decides by itself, from what is translated; `ephemeralContainers`, which no pod is made with; and gates,
 * which are passed in the plane: before there is a host pod, and by conditions that only the virtual pod has.
 * `preemptionPolicy` has to be that of the host's class.
 */
const HOSTS_OWN_FIELDS = [
  'automountServiceAccountToken',
  'enableServiceLinks',
  'ephemeralContainers',
  'nodeName',
  'overhead',
  'preemptionPolicy',
  'priority',
  'readinessGates',
  'schedulerName',
  'schedulingGates',
  'serviceAccount',
  'serviceAccountName',
  'setHostnameAsFQDN',
  'subdomain',
]

/**
 * The host pod of a virtual one and what it needs there; or why the host must not have it. Nothing in it refers to
 * anything that is not its plane's: fields that are not known are refused.
 */
export function toHostPod(virtual: KubeObject, context: PodContext): HostPod | Refusal {
  const draft = draftOf(virtual, context)
  const spec = toHostSpec(draft)
  if (draft.refusals.length > 0) {
    return { refusals: draft.refusals }
  }
  const metadata = toHostMetadata(context.scope, virtual, context.owner)
  const given = { ...metadata.annotations, ...Object.fromEntries(draft.annotations) }
  const annotations = { ...given, [KEYS_ANNOTATION]: Object.keys(given).toSorted().join(' ') }
  return {
    pod: { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, annotations }, spec },
    needs: needsOf(draft),
  }
}

/** An ephemeral container of a pod for the host; it cannot have a volume that the pod does not have. */
export function toHostEphemeralContainer(
  virtual: KubeObject,
  container: Json,
  context: PodContext,
): HostEphemeralContainer | Refusal {
  const draft = draftOf(virtual, context)
  const translated = toHostContainer(
    draft,
    container,
    `spec.ephemeralContainers[${String(container['name'])}]`,
  )
  return draft.refusals.length > 0
    ? { refusals: draft.refusals }
    : { container: translated, needs: needsOf(draft) }
}

function toHostSpec(draft: PodDraft): Json {
  const { context } = draft
  const known = knownFields(draft, withoutClaims(draft), {
    at: 'spec',
    fields: [...KEPT_FIELDS, ...TRANSLATED_FIELDS, ...HOSTS_OWN_FIELDS],
  })
  for (const field of HOST_FIELDS) {
    if (known[field] === true) {
      demand(draft, field, `spec.${field}`)
    }
  }
  noteEphemeral(draft)
  const security = recordAt(known, 'securityContext')
  const lists = {
    imagePullSecrets: recordsAt(known, 'imagePullSecrets').map((reference, index) => {
      const at = `spec.imagePullSecrets[${index}]`
      return toHostReference(draft, reference, { kind: 'secrets', field: 'name', at })
    }),
    initContainers: toHostContainers(draft, 'initContainers'),
    volumes: toHostVolumes(draft),
  }
  return {
    ...picked(known, KEPT_FIELDS),
    ...picked(lists, Object.keys(lists)),
    ...toHostDns(draft),
    ...toHostNames(draft),
    ...toHostClasses(draft),
    ...toHostPlacement(draft),
    ...(security === undefined ? {} : { securityContext: checkedPodSecurity(draft, security) }),
    ...(context.serviceAccountName === undefined
      ? {}
      : { serviceAccountName: context.serviceAccountName }),
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    containers: toHostContainers(draft, 'containers'),
  }
}

/** They are added to a pod that runs: what they need has to stay, and what they may not have is said of them alone. */
function noteEphemeral(draft: PodDraft): void {
  for (const container of recordsAt(draft.pod.spec, 'ephemeralContainers')) {
    toHostContainer({ ...draft, refusals: [] }, container, 'spec.ephemeralContainers')
  }
}

function withoutClaims({ pod, refusals }: PodDraft): Json {
  const { resourceClaims, ...spec } = pod.spec
  if (Array.isArray(resourceClaims) && resourceClaims.length > 0) {
    refusals.push(
      'spec.resourceClaims is not possible in a plane: devices of the host are asked for with limits, by the name of their resource',
    )
  }
  return spec
}

/**
 * What a pod on the host calls itself: its virtual name, since the host's is another one.
 *
 * Not `subdomain`: with it the host's kubelet would write `web-0.db.<host namespace>.svc.<host domain>` into
 * /etc/hosts, before every answer of the plane's DNS. `web-0.db.shop.svc.cluster.local` is answered by that DNS, which
 * reads it from the plane; so stateful pods find each other and themselves, and only `hostname --fqdn` is short.
 */
function toHostNames({ pod, refusals }: PodDraft): Json {
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

/**
 * The classes of a pod on the host. A priority class of the plane that none of the host stands for has no meaning there,
 * `system-node-critical` included; a runtime class has to be one of those that the plane may use, since a pod that asks
 * for isolation must not run without it.
 */
function toHostClasses({ context, pod, refusals }: PodDraft): Json {
  const priority = context.priorityClasses.get(textAt(pod.spec, 'priorityClassName') ?? '')
  const runtime = textAt(pod.spec, 'runtimeClassName')
  if (runtime !== undefined && !context.runtimeClasses.includes(runtime)) {
    refusals.push(
      `spec.runtimeClassName "${runtime}" is not allowed to pods of this plane, "sync.runtimeClasses: [${runtime}]" in the plane's spec would allow it`,
    )
  }
  return {
    ...(priority === undefined ? {} : { priorityClassName: priority }),
    ...(runtime === undefined ? {} : { runtimeClassName: runtime }),
  }
}
