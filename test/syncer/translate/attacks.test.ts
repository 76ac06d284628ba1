import { expect, test } from 'vitest'
import { isRecord } from '../../../src/shared/json-fields.ts'
import { toHostClaim } from '../../../src/syncer/translate/kinds/claim.ts'
import { toHostConfigMap, toHostSecret } from '../../../src/syncer/translate/kinds/config-map.ts'
import { toHostEndpointSlice } from '../../../src/syncer/translate/kinds/endpoint-slice.ts'
import { toHostMetadata, virtualOf } from '../../../src/syncer/translate/host-metadata.ts'
import { hostNameOf } from '../../../src/syncer/translate/host-name.ts'
import { isSelected } from '../../../src/shared/kube/label-selector.ts'
import { readSelector } from '../../../src/syncer/translate/label-selector.ts'
import { toHostNetworkPolicy } from '../../../src/syncer/translate/kinds/network-policy.ts'
import { toHostPodDisruptionBudget } from '../../../src/syncer/translate/kinds/pod-disruption-budget.ts'
import { toHostEphemeralContainer } from '../../../src/syncer/translate/pods/to-host-pod.ts'
import { toHostService } from '../../../src/syncer/translate/kinds/service.ts'
import { CONTEXT, hostEnv, hostSpec, podWith } from './pods/some-pods.ts'
import { podWithContainer, refusalsOf, translated } from './pods/some-pods.ts'
import { SCOPE, virtualObject } from './some-objects.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'

const OTHER_PLANE = { ...SCOPE, plane: 'prod', planeId: 'prod-kube-system' }

/** Names that someone would like to have from within the namespace `shop` of the plane `dev`. */
const PREY = [
  'vplane-dev-ca',
  'vplane-dev-kube-apiserver',
  'vplane-prod-record',
  'host-secret',
  '../host-secret',
  '../../kube-system/secrets/admin',
  'db-x-shop-x-prod',
  'db-x-mail-x-dev',
  'db-x-mail',
  'x-db',
  'db\0mail',
  hostNameOf(OTHER_PLANE, { name: 'db', namespace: 'shop' }),
  hostNameOf(SCOPE, { name: 'db', namespace: 'mail' }),
  hostNameOf(OTHER_PLANE, { name: 'kube-root-ca.crt', namespace: 'shop' }),
]

test.for(PREY.flatMap((name) => referencesTo(name).map((spec) => [name, spec] as const)))(
  'never reads "%s" by %j',
  ([name, spec]) => {
    const { pod } = translated(podWith(spec))
    const host = JSON.stringify(pod['spec'])
    const own = hostNameOf(SCOPE, { name, namespace: 'shop' })

    expect(own).toMatch(/-x-shop-x-dev$|-[0-9a-f]{20}$/)
    expect(PREY).not.toContain(own)
    expect(host).toContain(JSON.stringify(own))
    expect(host).not.toContain(`Name":${JSON.stringify(name)}`)
    expect(host).not.toContain(`Ref":{"name":${JSON.stringify(name)}`)
  },
)

test('never gives a pod what the claim template of another pod’s name would', () => {
  const volumes = [{ name: 'c', ephemeral: {} }]
  const { needs } = translated(podWith({ volumes }, { name: 'x-shop-x-dev/../a' }))

  expect(needs.claims).toEqual(['x-shop-x-dev/../a-c'])
  expect(hostSpec(podWith({ volumes }, { name: 'a-x-mail' }))['volumes']).not.toMatchObject([
    { persistentVolumeClaim: { claimName: 'a-x-mail-c-x-shop-x-dev' } },
  ])
})

test('never makes a token Secret under the name of a user’s', () => {
  const sources = [{ serviceAccountToken: { path: 'token' } }]
  const { needs } = translated(podWith({ volumes: [{ name: 'v', projected: { sources } }] }))
  const guesses = ['web-tokens-uid-of-web-0', 'web-tokens-uid-of-web', 'web/tokens/uid-of-web']

  for (const name of guesses) {
    expect(needs.tokens[0]?.secretName).not.toBe(hostNameOf(SCOPE, { name, namespace: 'shop' }))
  }
})

test('never runs as an account of the host, nor with its token', () => {
  const account = 'vplane-dev-syncer'
  const accounts = { serviceAccount: account, serviceAccountName: account }
  const spec = hostSpec(podWith({ ...accounts, automountServiceAccountToken: true }))

  expect(spec['automountServiceAccountToken']).toBe(false)
  expect(JSON.stringify(spec)).not.toContain(account)
})

test('does not take the names of JavaScript for classes of the host', () => {
  const spec = hostSpec(podWith({ priorityClassName: 'constructor' }))
  const volumes = [{ name: 'v', constructor: { path: '/' } }]

  expect(spec).not.toHaveProperty('priorityClassName')
  expect(refusalsOf(podWith({ volumes }))).toHaveLength(1)
})

test.for<[string, Record<string, unknown>]>([
  ['host path', { volumes: [{ name: 'v', hostPath: { path: '/' } }] }],
  ['host path behind another type', { volumes: [{ name: 'v', emptyDir: {}, hostPath: {} }] }],
  ['a server that its node reaches', { volumes: [{ name: 'v', nfs: { server: 'x' } }] }],
  ['flexVolume', { volumes: [{ name: 'v', flexVolume: { secretRef: { name: 'x' } } }] }],
  ['iscsi', { volumes: [{ name: 'v', iscsi: { secretRef: { name: 'x' } } }] }],
  ['azureFile', { volumes: [{ name: 'v', azureFile: { secretName: 'x' } }] }],
  ['csi', { volumes: [{ name: 'v', csi: { driver: 'secrets-store.csi.k8s.io' } }] }],
  ['a type of tomorrow', { volumes: [{ name: 'v', hostSecret: { name: 'x' } }] }],
  ['a pod certificate', { volumes: [projected({ podCertificate: { signerName: 'x' } })] }],
  ['a trust bundle', { volumes: [projected({ clusterTrustBundle: { name: 'x' } })] }],
  ['a source of tomorrow', { volumes: [projected({ hostSecret: { name: 'x' } })] }],
  ['devices', { resourceClaims: [{ name: 'gpu', resourceClaimName: 'of-host' }] }],
  ['a field of tomorrow', { hostObjects: [{ name: 'x' }] }],
  ['the host’s network', { hostNetwork: true }],
  ['a runtime of the host', { runtimeClassName: 'unconfined' }],
  ['field paths of the host', { containers: [fieldOf('metadata.ownerReferences')] }],
  ['quotes in field paths', { containers: [fieldOf("metadata.annotations['a']['b']")] }],
])('refuses %s', ([, spec]) => {
  expect(refusalsOf(podWith(spec))).not.toEqual([])
})

test('shows a pod nothing of the host by the downward API', () => {
  const fields = ['metadata.name', 'metadata.namespace', 'metadata.uid', 'spec.serviceAccountName']
  const markers = ['plane-id', 'virtual-uid', 'name'].flatMap((marker) => [
    `metadata.annotations['vplane.dev/${marker}']`,
    `metadata.labels['vplane.dev/${marker}']`,
  ])
  const env = [...fields, ...markers].map((fieldPath, index) => ({
    name: `V${index}`,
    valueFrom: { fieldRef: { fieldPath } },
  }))
  const shown = JSON.stringify(hostEnv(podWithContainer({ env })))

  expect(shown).not.toMatch(/"metadata\.(name|namespace|uid)"|spec\.serviceAccountName/)
  expect(shown).not.toMatch(/vplane\.dev\/(plane-id|virtual-uid|name)/)
})

test('does not forge what the downward API reads', () => {
  const items = [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }]
  const pod = podWith(
    { volumes: [{ name: 'v', downwardAPI: { items } }] },
    { annotations: { 'vplane.dev/downward-labels': 'forged' }, labels: { a: 'b' } },
  )

  expect(translated(pod).pod.metadata.annotations).toMatchObject({
    'vplane.dev/downward-labels': 'a="b"',
  })
})

test.for([
  ['labels', 'vplane.dev/name', 'prod'],
  ['labels', 'vplane.dev/synced-namespace', 'mail'],
  ['labels', 'vplane.dev/component', 'kube-apiserver'],
  ['labels', 'app.kubernetes.io/managed-by', 'Helm'],
  ['annotations', 'vplane.dev/virtual-name', 'db'],
  ['annotations', 'vplane.dev/virtual-namespace', 'mail'],
  ['annotations', 'vplane.dev/virtual-uid', 'uid-of-db'],
  ['annotations', 'vplane.dev/plane-id', 'prod-kube-system'],
] as const)('stays what it is with %s that say %s is %s', ([where, key, value]) => {
  const virtual = virtualObject('ConfigMap', {}, { [where]: { [key]: value } })
  const host = toHostConfigMap(SCOPE, virtual)

  expect(host.metadata[where]?.[key]).not.toBe(value)
  expect(virtualOf(SCOPE, host)).toEqual({ name: 'web', namespace: 'shop', uid: 'uid-of-web' })
  expect(virtualOf(OTHER_PLANE, host)).toBeUndefined()
})

test('takes no object of another plane for its own, whatever its annotations say', () => {
  const foreign = toHostConfigMap(OTHER_PLANE, virtualObject('ConfigMap'))
  const { annotations, labels } = toHostMetadata(
    { scope: SCOPE, resource: 'pods' },
    virtualObject('ConfigMap'),
  )
  const forged = { ...foreign, metadata: { ...foreign.metadata, annotations, labels } }

  expect(virtualOf(SCOPE, forged)).toBeUndefined()
})

test('owns and holds nothing on the host by owner references and finalizers', () => {
  const metadata = {
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'vplane-dev-etcd-0', uid: '1' }],
    finalizers: ['foregroundDeletion'],
    generateName: 'vplane-dev-',
    managedFields: [{}],
    deletionGracePeriodSeconds: 0,
  }
  const fields = Object.keys(
    toHostMetadata({ scope: SCOPE, resource: 'pods' }, virtualObject('Pod', {}, metadata)),
  )

  expect(fields.toSorted()).toEqual(['annotations', 'labels', 'name', 'namespace'])
})

const MANAGED = { 'app.kubernetes.io/managed-by': 'vplane' }

/** What any selector of the plane's namespace `shop` must never find. */
const OTHERS: Array<Record<string, string>> = [
  { app: 'web' },
  { app: 'web', 'vplane.dev/component': 'etcd', 'vplane.dev/name': 'dev', ...MANAGED },
  toHostMetadata({ scope: OTHER_PLANE, resource: 'pods' }, podWith({}, { labels: { app: 'web' } }))
    .labels,
  toHostMetadata(
    { scope: SCOPE, resource: 'pods' },
    podWith({}, { namespace: 'mail', labels: { app: 'web' } }),
  ).labels,
]

test.for([
  {},
  { matchLabels: { app: 'web' } },
  { matchLabels: { 'vplane.dev/name': 'prod' } },
  { matchLabels: { 'vplane.dev/synced-namespace': 'mail' } },
  { matchLabels: { 'vplane.dev/component': 'etcd' } },
  { matchExpressions: [{ key: 'vplane.dev/name', operator: 'Exists' }] },
  { matchExpressions: [{ key: 'vplane.dev/synced-namespace', operator: 'NotIn', values: ['x'] }] },
  { matchExpressions: [{ key: 'app.kubernetes.io/managed-by', operator: 'DoesNotExist' }] },
])('finds no pod of others by the selector %j', (selector) => {
  const peer = { podSelector: selector }
  const rules = { spec: { ...peer, ingress: [{ from: [peer] }] } }
  const kept = { spec: { minAvailable: 1, selector } }
  const served = { spec: { selector: selector.matchLabels } }
  const policy = toHostNetworkPolicy(virtualObject('NetworkPolicy', rules), CONTEXT)
  const budget = toHostPodDisruptionBudget(SCOPE, virtualObject('PodDisruptionBudget', kept))
  const service = toHostService(SCOPE, virtualObject('Service', served))
  const spread = hostSpec(podWith({ topologySpreadConstraints: [{ labelSelector: selector }] }))
  const found = [policy['spec'], budget?.['spec'], service?.['spec'], spread].flatMap(selectorsIn)

  expect(found.length).toBeGreaterThanOrEqual(4)
  for (const one of found) {
    expect(OTHERS.filter((labels) => isSelected(readSelector(one), labels))).toEqual([])
  }
})

test('takes over no address of others with a Service', () => {
  const spec = { ports: [{ port: 80 }], externalIPs: ['10.96.0.1'], hostIPs: ['10.0.0.1'] }
  const host = toHostService(SCOPE, virtualObject('Service', { spec }))

  expect(host?.['spec']).toEqual({ ports: [{ port: 80 }] })
})

test('never selects all pods by a Service that has no selector', () => {
  const host = toHostService(SCOPE, virtualObject('Service', { spec: { selector: {} } }))

  expect(host?.['spec']).not.toHaveProperty('selector')
})

test.for(PREY)('adds no endpoints to the Service "%s" of the host', (service) => {
  const labels = {
    'kubernetes.io/service-name': service,
    'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
  }
  const host = toHostEndpointSlice(SCOPE, virtualObject('EndpointSlice', {}, { labels }))

  expect(PREY).not.toContain(host?.metadata.labels?.['kubernetes.io/service-name'])
  expect(host?.metadata.labels?.['endpointslice.kubernetes.io/managed-by']).toBe('vplane.dev')
})

test.for([
  'kubernetes.io/service-account-token',
  'bootstrap.kubernetes.io/token',
  'vplane.dev/record',
  'helm.sh/release.v1',
])('makes a Secret of type %s one that nobody acts on', (type) => {
  const annotations = { 'kubernetes.io/service-account.name': 'vplane-dev-syncer' }
  const host = toHostSecret(SCOPE, virtualObject('Secret', { type }, { annotations }))

  expect(host['type']).toBe('Opaque')
  expect(host.metadata.annotations).not.toHaveProperty(['kubernetes.io/service-account.name'])
})

test.for([
  'cas.openebs.io/config',
  'nfs.io/storage-path',
  'pv.kubernetes.io/bind-completed',
  'snapshot.alpha.kubernetes.io/snapshot',
  'trident.netapp.io/importOriginalName',
  'volume.kubernetes.io/selected-node',
])('tells no provisioner anything by %s', (annotation) => {
  const virtual = virtualObject('PersistentVolumeClaim', {}, { annotations: { [annotation]: 'x' } })
  const host = toHostClaim(virtual, { scope: SCOPE, storageClasses: new Map() })

  expect(host).not.toHaveProperty(['metadata', 'annotations', annotation])
})

test('reaches no more with an ephemeral container', () => {
  const valueFrom = { secretKeyRef: { name: 'vplane-dev-ca', key: 'tls.key' } }
  const container = { name: 'debug', env: [{ name: 'A', valueFrom }] }
  const result = toHostEphemeralContainer(podWith(), container, CONTEXT)

  expect(JSON.stringify(result)).not.toContain('"name":"vplane-dev-ca"')
})

/** Every way in which a pod names an object of its namespace. */
function referencesTo(name: string): Array<Record<string, unknown>> {
  const container = (fields: object) => ({ containers: [{ name: 'main', ...fields }] })
  const variable = (valueFrom: object) => container({ env: [{ name: 'A', valueFrom }] })
  return [
    { imagePullSecrets: [{ name }] },
    { volumes: [{ name: 'v', secret: { secretName: name } }] },
    { volumes: [{ name: 'v', configMap: { name } }] },
    { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: name } }] },
    { volumes: [projected({ secret: { name } })] },
    { volumes: [projected({ configMap: { name } })] },
    { initContainers: [{ name: 'i', envFrom: [{ secretRef: { name } }] }] },
    container({ envFrom: [{ configMapRef: { name } }] }),
    variable({ secretKeyRef: { name, key: 'a' } }),
    variable({ configMapKeyRef: { name, key: 'a' } }),
  ]
}

function projected(source: object) {
  return { name: 'v', projected: { sources: [source] } }
}

function fieldOf(fieldPath: string) {
  return { name: 'main', env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath } } }] }
}

/** All selectors of pods anywhere in a host object, in one form. */
function selectorsIn(value: unknown): Array<KubeObject['metadata']> {
  if (Array.isArray(value)) {
    return value.flatMap(selectorsIn)
  }
  if (!isRecord(value)) {
    return []
  }
  return Object.entries(value).flatMap(([field, inner]) => {
    if (!/selector$/i.test(field) || !isRecord(inner)) {
      return selectorsIn(inner)
    }
    const isMap = Object.values(inner).every((one) => typeof one === 'string')
    return [isMap ? { matchLabels: inner } : inner]
  })
}
