import type { SyncSpec } from '../../control-plane/spec/fields/host-spec.ts'
import type { Policies } from '../../control-plane/spec/fields/policies-spec.ts'
import { ownStoreOf } from '../../control-plane/store/store.ts'
import { toSecretData } from './component-values.ts'
import type { TemplateValues } from '../templates/fill-template.ts'
import { hasPods, hostOf, type ManifestInput } from '../templates/manifest-input.ts'
import {
  clusterObjectName,
  objectLabels,
  objectName,
  selectorLabels,
  SYNCED_BY_LABEL,
} from '../object-names.ts'
import { policyRules } from '../network/network-rule.ts'
import { ownerEgress, ownerIngress } from '../network/owner-rules.ts'
import { checksumOf, filesOfPod, filesReadOnce, secretKeyOf } from '../pod-files.ts'
import { placementOf, rolloutStrategy } from './placement.ts'
import { membersHost, podLayout } from '../pod-layout.ts'
import { readProgram } from '../templates/load-templates.ts'
import { ETCD_PORTS, SYNCER_PORTS } from '../ports.ts'
import { clusterRules, extraRules, hostRules } from './syncer-rules.ts'

/** Undefined without a syncer. @throws {VplaneError} `FAILED` when the syncer was not built. */
export function syncerValues(input: ManifestInput): TemplateValues | undefined {
  const { files, name, namespace, programOf = readProgram, spec } = input
  const { monitor, pods, sync } = hostOf(spec)
  if (sync === undefined) {
    return undefined
  }
  const service = objectName(name, 'syncer')
  const selector = selectorLabels(name, 'syncer')
  const labels = objectLabels(name, 'syncer')
  const secret = filesOfPod('syncer', files)
  const bundle = programOf('syncer')
  const checksum = checksumOf({ bundle })
  return {
    name: service,
    extraName: objectName(name, 'syncer-extra'),
    clusterName: clusterObjectName({ name, namespace }, 'syncer'),
    hostRules: hostRules(sync, service),
    extraRules: extraRules(sync),
    clusterRules: clusterRules(sync),
    metricsName: objectName(name, 'syncer-metrics'),
    statusName: objectName(name, 'syncer-status'),
    labels,
    selector,
    podLabels: { ...pods.labels, ...labels },
    podAnnotations: {
      ...pods.annotations,
      'vplane.dev/bundle-checksum': checksum,
      'vplane.dev/secret-checksum': checksumOf(filesReadOnce('syncer', files)),
    },
    replicas: hasPods(input, 'syncer') ? sync.replicas : 0,
    strategy: rolloutStrategy(sync.replicas),
    ...placementOf(selector, { replicas: sync.replicas, affinity: pods.affinity }),
    leaseName: sync.replicas > 1 ? service : undefined,
    image: sync.image,
    dnsImage: sync.dnsImage,
    hostServices: hostServiceNames(sync, spec.clusterDomain),
    dnsName: objectName(name, 'dns'),
    resources: sync.resources,
    rules: rulesOf(sync, hostOf(spec).policies),
    ...networkValues(input),
    server: podLayout(input).apiServer.url,
    kubeletHost: `${service}.${namespace}.svc`,
    deniedAddress: deniedAddress(input),
    healthPort: SYNCER_PORTS.health,
    metricsPort: SYNCER_PORTS.metrics,
    kubeletPort: SYNCER_PORTS.kubelet,
    monitorLabels: { ...monitor?.labels, ...labels },
    monitorPort: monitor && { name: 'health', port: SYNCER_PORTS.health },
    secretData: toSecretData(secret),
    secretItems: Object.keys(secret).map((path) => ({ key: secretKeyOf(path), path })),
    bundle,
    checksum,
  }
}

/** Where the NetworkPolicy of the plane's store denies connections of the syncer; a shared etcd has none of vplane. */
function deniedAddress({ name, namespace, spec }: ManifestInput): string | undefined {
  const component = ownStoreOf(spec)
  const addresses = {
    etcd: `${membersHost({ name, namespace })}:${ETCD_PORTS.metrics}`,
    kine: `${objectName(name, 'kine')}.${namespace}.svc:${ETCD_PORTS.grpc}`,
  }
  return component && addresses[component]
}

/** CoreDNS's configuration for the Services of the host that have a name in the plane. */
export function hostServiceNames(
  { hostClusterDomain = 'cluster.local', hostServices = {} }: Partial<SyncSpec>,
  clusterDomain: string,
): string {
  return Object.keys(hostServices)
    .toSorted()
    .map((name) => {
      const virtual = `${name}.svc.${clusterDomain}`
      return `${virtual}:${SYNCER_PORTS.dns} {
    errors
    rewrite name exact ${virtual} ${hostServices[name]}.svc.${hostClusterDomain} answer auto
    forward . /etc/resolv.conf
    cache 30
}
`
    })
    .join('')
}

/** The NetworkPolicies of all pods of the plane's users; nothing for a plane without them. */
function networkValues({ name, spec }: ManifestInput): TemplateValues {
  const { policies, sync } = hostOf(spec)
  if (policies?.network === undefined) {
    return {}
  }
  const owner = { plane: name, network: policies.network, hostServices: sync?.hostServices }
  return {
    podsName: objectName(name, 'synced-pods'),
    podsSelector: { [SYNCED_BY_LABEL]: name },
    podsEgressName: objectName(name, 'synced-pods-egress'),
    podsEgressRules: policyRules(ownerEgress(owner), 'to'),
    podsIngressName: objectName(name, 'synced-pods-ingress'),
    podsIngressRules: policyRules(ownerIngress(owner), 'from'),
  }
}

/** The part of the spec that the syncer needs. */
function rulesOf(sync: SyncSpec, policies: Policies | undefined): string {
  const { annotations, classes, hostServices, ingressClasses, kinds, labels, nodes, pods } = sync
  const { priorityClasses, runtimeClasses, scheduler, storageClasses } = sync
  const named = { ingressClasses, priorityClasses, runtimeClasses, storageClasses }
  return JSON.stringify({
    kinds,
    hostServices: policies?.network && hostServices,
    labels,
    annotations,
    pods,
    ...named,
    nodes,
    classes,
    scheduler,
    policies,
  })
}
