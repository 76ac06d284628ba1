import { type NetworkPort, policyRules } from '../../manifests/network/network-rule.ts'
import { OWN_RULES_LABELS } from '../../manifests/network/owner-rules.ts'
import { type Json, recordAt, recordsAt, textAt, textMapAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { isSelected } from '../../shared/kube/label-selector.ts'
import { type ObjectKey, parseObjectKey, toObjectKey } from '../../kube/cache/object-key.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import { type OwnerReference, toHostMetadata, virtualOf } from '../translate/host-metadata.ts'
import { NAMESPACE_LABEL } from '../translate/markers.ts'

/** Begins the name of the policy for a Service: no object of a user has such a name. */
const PREFIX = 'service:'

/** The host's objects of a plane that say what comes to its pods from elsewhere. */
export interface Exposing {
  scope: SyncScope
  services: Iterable<KubeObject>
  ingresses: Iterable<KubeObject>
  pods: Iterable<KubeObject>
}

/** The key of the policy for a Service; undefined for one that is not of the plane. */
export function exposureKeyOf(scope: SyncScope, service: KubeObject): ObjectKey | undefined {
  const virtual = virtualOf(scope, service)
  return virtual && toObjectKey({ ...virtual, name: `${PREFIX}${virtual.name}` })
}

/** The Service whose policy has this key; undefined for the key of a user's policy. */
export function exposedServiceOf(key: ObjectKey): ObjectKey | undefined {
  const { name, namespace } = parseObjectKey(key)
  return name.startsWith(PREFIX)
    ? toObjectKey({ name: name.slice(PREFIX.length), namespace })
    : undefined
}

/** Whether a Service of the host leads to ports of pods from elsewhere, by its type or because an Ingress names it. */
export function isExposed(service: KubeObject, ingresses: Iterable<KubeObject>): boolean {
  const isOpen = ['LoadBalancer', 'NodePort'].includes(textAt(service, 'spec', 'type') ?? '')
  const { name = '' } = service.metadata
  const hasSelector = Object.keys(textMapAt(service, 'spec', 'selector')).length > 0
  // A headless Service may have no ports, and a policy without ports would be about all of them.
  const hasPorts = targetPorts(service).length > 0
  const isNamed = () => [...ingresses].some((one) => backendsOf(one).includes(name))
  return hasSelector && hasPorts && (isOpen || isNamed())
}

function backendsOf(ingress: KubeObject): string[] {
  const spec = recordAt(ingress, 'spec') ?? {}
  const paths = recordsAt(spec, 'rules').flatMap((rule) => recordsAt(rule, 'http', 'paths'))
  const backends = [
    recordAt(spec, 'defaultBackend'),
    ...paths.map((one) => recordAt(one, 'backend')),
  ]
  return backends.flatMap((backend) => textAt(backend, 'service', 'name') ?? [])
}

/** The policy that lets everybody reach what a Service of the host exposes, unless users have policies for its pods. */
export function toExposure(
  scope: SyncScope,
  service: KubeObject,
  owner?: OwnerReference,
): KubeObject | undefined {
  const virtual = virtualOf(scope, service)
  if (virtual === undefined) {
    return undefined
  }
  const { name, namespace = '', uid } = virtual
  const metadata = { name: `${PREFIX}${name}`, namespace, uid }
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: toHostMetadata({ scope, resource: 'networkpolicies', owner }, { metadata }),
    spec: {
      podSelector: {
        matchLabels: textMapAt(service, 'spec', 'selector'),
        matchExpressions: [{ key: OWN_RULES_LABELS.ingress, operator: 'DoesNotExist' }],
      },
      policyTypes: ['Ingress'],
      ingress: policyRules([{ ports: targetPorts(service) }], 'from'),
    },
  }
}

/** The ports of pods of a namespace that Services expose, each by its number and by its name. */
export function exposedPorts(
  { ingresses, pods, services }: Omit<Exposing, 'scope'>,
  namespace: string,
): NetworkPort[] {
  const exposed = [...services].filter((one) => isOf(one, namespace) && isExposed(one, ingresses))
  const hostPods = exposed.length === 0 ? [] : [...pods].filter((pod) => isOf(pod, namespace))
  return exposed.flatMap((service) => {
    const matchLabels = textMapAt(service, 'spec', 'selector')
    const containers = hostPods
      .filter(({ metadata: { labels = {} } }) => isSelected({ matchLabels }, labels))
      .flatMap(portsOf)
    return targetPorts(service).flatMap(({ port = '', protocol = 'TCP' }) => {
      const same = containers
        .filter((one) => one['name'] === port || one['containerPort'] === port)
        .flatMap((one) => [textAt(one, 'name') ?? [], Number(one['containerPort'])].flat())
      return [...new Set([port, ...same])].map((one) => ({ protocol, port: one }))
    })
  })
}

/** Whether Services may name ports of a pod by other names than its users' policies. */
export function hasNamedPorts(pod: KubeObject): boolean {
  return portsOf(pod).some(({ name }) => name !== undefined)
}

function portsOf(pod: KubeObject): Json[] {
  const containers = recordsAt(pod, 'spec', 'containers')
  return containers.flatMap((container) => recordsAt(container, 'ports'))
}

function isOf({ metadata }: KubeObject, namespace: string): boolean {
  return metadata.labels?.[NAMESPACE_LABEL] === namespace
}

function targetPorts(service: KubeObject): NetworkPort[] {
  return recordsAt(service, 'spec', 'ports').map((port) => {
    const target = port['targetPort'] ?? port['port']
    return {
      protocol: textAt(port, 'protocol') ?? 'TCP',
      port: typeof target === 'string' ? target : Number(target),
    }
  })
}
