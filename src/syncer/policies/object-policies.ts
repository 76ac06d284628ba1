import { type Policies, VOLUME_TYPES } from '../../control-plane/spec/fields/policies-spec.ts'
import { recordAt, recordsAt, textAt, textsAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { isInRanges, rangeOf } from '../../shared/network/ip-range.ts'
import { isAmong } from '../translate/host-keys.ts'

/** Why an Ingress or a Service claims more on the host than the plane's owner allows. */
export function claimRefusals(
  policies: Policies | undefined,
  resource: 'ingresses' | 'services',
  virtual: KubeObject,
): string[] {
  if (policies === undefined) {
    return []
  }
  return resource === 'ingresses'
    ? hostnameRefusals(policies, virtual)
    : serviceRefusals(policies, virtual)
}

/** Names in `tls` count as well: a controller serves their certificate to others that have the name. */
function hostnameRefusals({ hostnames }: Policies, ingress: KubeObject): string[] {
  const spec = recordAt(ingress, 'spec') ?? {}
  const rules = recordsAt(spec, 'rules').map((rule) => textAt(rule, 'host') ?? '')
  const certificates = recordsAt(spec, 'tls').flatMap((one) => textsAt(one, 'hosts'))
  // Without a name it serves all that no other Ingress names.
  const others = recordAt(spec, 'defaultBackend') === undefined ? [] : ['']
  return [...new Set([...rules, ...certificates, ...others])]
    .filter((host) => !isAllowedHost(host, hostnames))
    .map((host) => {
      const what = host === '' ? 'an Ingress for all host names' : `host name "${host}"`
      return `${what} is not allowed, ${leave(`hostnames: [${quoted(host)}]`)}`
    })
}

function isAllowedHost(host: string, patterns: readonly string[]): boolean {
  return patterns.some(
    (pattern) =>
      pattern === '*' ||
      pattern === host ||
      // As in an Ingress, but for names of any depth; a wildcard itself is one of these names.
      (pattern.startsWith('*.') && host.endsWith(pattern.slice(1))),
  )
}

function serviceRefusals({ services }: Policies, service: KubeObject): string[] {
  const type = textAt(service, 'spec', 'type') ?? 'ClusterIP'
  const address = textAt(service, 'spec', 'loadBalancerIP') ?? ''
  const isAllowed = ['ClusterIP', 'ExternalName', ...services.types].includes(type)
  return [
    ...(isAllowed
      ? []
      : [
          `spec.type "${type}" is not allowed, ${leave(`services.types: [${[...services.types, type].join(', ')}]`)}`,
        ]),
    ...(address === '' || isInRanges(address, services.loadBalancerAddresses)
      ? []
      : [
          `spec.loadBalancerIP "${address}" is not allowed, ${leave(`services.loadBalancerAddresses: [${rangeOf(address)}]`)}`,
        ]),
  ]
}

/** Why a pod tolerates more taints of the host's nodes than the plane's owner allows. */
export function tolerationRefusals(
  policies: Policies | undefined,
  tolerations: ReadonlyArray<Record<string, unknown>>,
): string[] {
  if (policies === undefined) {
    return []
  }
  return [...new Set(tolerations.map((one) => textAt(one, 'key') ?? ''))]
    .filter((key) => !key.startsWith('node.kubernetes.io/'))
    .filter((key) => !isAmong(key, policies.tolerations))
    .map((key) => {
      const what = key === '' ? 'a toleration of all taints' : `the toleration of taint "${key}"`
      return `${what} is not allowed, ${leave(`tolerations: [${quoted(key)}]`)}`
    })
}

/** The kubelet mounts `nfs` from the network of its node. */
const ORDINARY_VOLUMES = VOLUME_TYPES.filter((type) => type !== 'nfs')

/** Why a pod must not have a volume of a type, which can be one that holds only objects of the plane. */
export function volumeRefusals(
  policies: Policies | undefined,
  { at, type }: { type: string; at: string },
): string[] {
  const allowed: readonly string[] = policies?.volumes ?? ORDINARY_VOLUMES
  const isRefused = VOLUME_TYPES.some((one) => one === type) && !allowed.includes(type)
  return isRefused
    ? [`${at}.${type} is not allowed, ${leave(`volumes: [${[...allowed, type].join(', ')}]`)}`]
    : []
}

/** What would allow a claim: a field of `policies` with its value. */
export function leave(policy: string): string {
  return `"policies.${policy}" in the plane's spec would allow it`
}

/** A pattern in YAML, in which a plain word cannot begin with `*`; that of all for an empty one. */
function quoted(pattern: string): string {
  return pattern === '' || pattern.startsWith('*') ? JSON.stringify(pattern || '*') : pattern
}
