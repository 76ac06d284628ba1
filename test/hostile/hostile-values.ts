import { oneOf } from '../support/random-numbers.ts'
import type { FieldType } from '../syncer/fields/field-samples.ts'

/** What a tenant would like to reach on the host. */
export interface Prey {
  /** Of the host, and of its own plane. */
  namespaces: readonly string[]
  /** Of Secrets, ConfigMaps, ServiceAccounts and claims of others. */
  names: readonly string[]
  addresses: readonly string[]
  nodes: readonly string[]
}

const WORDS = [
  'Always',
  'Bidirectional',
  'ClusterFirst',
  'Default',
  'Exact',
  'ExternalName',
  'HostToContainer',
  'IPv4',
  'Local',
  'Localhost',
  'LoadBalancer',
  'Memory',
  'Never',
  'NodePort',
  'None',
  'OnFailure',
  'Opaque',
  'PreferDualStack',
  'Prefix',
  'ReadWriteMany',
  'SCTP',
  'Strict',
  'TCP',
  'UDP',
  'Unconfined',
  'Unmasked',
  'kubernetes.io/metadata.name',
  'kubernetes.io/service-account-token',
  'one',
]
const KEYS = [
  'app',
  'app.kubernetes.io/managed-by',
  'container.apparmor.security.beta.kubernetes.io/server',
  'endpointslice.kubernetes.io/managed-by',
  'kubernetes.io/service-account.name',
  'kubernetes.io/service-name',
  'nginx.ingress.kubernetes.io/auth-secret',
  'pod-security.kubernetes.io/enforce',
  'service.beta.kubernetes.io/aws-load-balancer-internal',
  'vplane.dev/component',
  'vplane.dev/name',
  'vplane.dev/kept',
  'vplane.dev/own-egress-rules',
  'vplane.dev/shared',
  'vplane.dev/synced-by',
  'vplane.dev/synced-namespace',
  'vplane.dev/virtual-name',
  'vplane.dev/virtual-namespace',
  'vplane.dev/virtual-uid',
]
const LABEL_VALUES = ['vplane', 'vplane-syncer', 'kube-apiserver', 'etcd', 'keeper', 'true', 'own']
const PATHS = ['/', '/etc', '/etc/kubernetes', '/mnt/other', '/var/lib/kubelet', '../..', 'x/../..']
const NUMBERS = [-1, 0, 1, 2, 80, 443, 1000, 2379, 6443, 8080, 10_250, 65_535]
const RANGES = [
  '0.0.0.0/0',
  '10.0.0.0/8',
  '169.254.169.254/32',
  '::/0',
  '::ffff:10.0.0.0/104',
  '::ffff:169.254.169.254/128',
]
const HOSTS = ['kubernetes.default.svc', 'shop.example.com', '*.example.com']

/** A value of a field, which its API may refuse: a name, address or path of someone else where the field takes one. */
export function hostileValue([path, type]: FieldType, prey: Prey, random: () => number): unknown {
  const one = <T>(all: readonly T[]) => oneOf(all, random)
  const values: Record<string, () => unknown> = {
    boolean: () => random() < 0.5,
    fields: () => ({}),
    integer: () => one(NUMBERS),
    'number or text': () => one([...NUMBERS, 'http', '50%']),
    quantity: () => one(['0', '1', '100m', '1Gi']),
    string: () => one(textsFor(path, prey)),
    time: () => '2026-01-02T03:04:05Z',
  }
  const value = values[type]?.()
  if (path.endsWith('{}')) {
    return { [one(KEYS)]: value }
  }
  return path.endsWith('[]') ? [value] : value
}

function textsFor(path: string, { addresses, names, namespaces, nodes }: Prey): readonly string[] {
  const pools: ReadonlyArray<readonly [RegExp, readonly string[]]> = [
    [/(labels|annotations|matchLabels)\{\}$/, [...LABEL_VALUES, ...names, ...namespaces]],
    [/namespace$/i, namespaces],
    [/(nodeName|providerID)$/, nodes],
    [/(cidr|except\[\]|SourceRanges\[\])$/, RANGES],
    [/(IPs?(\[\])?|\bips?(\[\])?|addresses\[\]|\baddress|nameservers\[\])$/, addresses],
    [/([pP]ath|workingDir|server)$/, [...PATHS, ...addresses]],
    [/(\bhost|hosts\[\]|hostnames?\[\]|externalName|hostname|subdomain)$/, [...HOSTS, 'own']],
    [/([nN]ame|claimName|secretName|volumeHandle|group|user)$/, [...names, ...nodes, 'own']],
  ]
  const found = pools.find(([pattern]) => pattern.test(path))
  return found === undefined ? [...WORDS, ...names, ...namespaces] : found[1]
}
