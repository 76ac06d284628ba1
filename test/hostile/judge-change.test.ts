import { expect, test } from 'vitest'
import type { KubeObject, WatchEvent } from '../../src/shared/kube/kube-object.ts'
import { referencesOf, strayReason } from './judge-change.ts'

const PLACE = { plane: 'dev', namespace: 'evil', foreign: { victim: 'hush\nhush' }, own: 'tenant' }
const SYNCED = { 'vplane.dev/synced-by': 'dev' }
const OF_PLANE = { 'vplane.dev/name': 'dev' }
const POD = { automountServiceAccountToken: false, containers: [{ name: 'a' }] }

function one(kind: string, labels: Record<string, string>, more: object = {}): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name: 'a', namespace: 'evil', labels }, ...more }
}

function elsewhere(kind: string, more: object = {}): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name: 'a', namespace: 'other' }, ...more }
}

function reasonOf(object: KubeObject, type: WatchEvent['type'] = 'ADDED', former?: KubeObject) {
  return strayReason({ object, type }, former, PLACE)
}

test.for<[string, KubeObject]>([
  ['a pod of the tenant', one('Pod', SYNCED, { spec: POD })],
  ['a Service of the tenant', one('Service', SYNCED, { spec: { type: 'ClusterIP' } })],
  ['what follows from it', one('Endpoints', SYNCED)],
  ['a Secret of the tenant', one('Secret', SYNCED, { data: { a: btoa('tenant') } })],
  ['a Lease of others', elsewhere('Lease')],
  [
    'a volume of the tenant',
    elsewhere('PersistentVolume', { spec: { claimRef: { namespace: 'evil' } } }),
  ],
])('%s is fine', ([, object]) => {
  expect(reasonOf(object)).toBeUndefined()
})

test.for<[string, KubeObject, RegExp]>([
  ['an object of others', elsewhere('ConfigMap'), /not of the tenant/],
  ['an object without a mark', one('ConfigMap', {}), /not of the tenant/],
  ['a kind that is not synced', one('ServiceAccount', SYNCED), /not of the tenant/],
  ['a pod with a token', one('Pod', SYNCED, { spec: { containers: [] } }), /token/],
  [
    'a pod of a component',
    one('Pod', { ...SYNCED, 'vplane.dev/component': 'etcd' }, { spec: POD }),
    /label/,
  ],
  ['a pod on its node', one('Pod', SYNCED, { spec: { ...POD, hostNetwork: true } }), /hostNetwork/],
  [
    'a pod with a path of its node',
    one('Pod', SYNCED, { spec: { ...POD, volumes: [{ hostPath: { path: '/' } }] } }),
    /hostPath/,
  ],
  [
    'a Service with a port of nodes',
    one('Service', SYNCED, { spec: { type: 'NodePort' } }),
    /NodePort/,
  ],
  [
    'a NetworkPolicy with an address of version 4 as one of version 6',
    one('NetworkPolicy', SYNCED, {
      spec: { egress: [{ to: [{ ipBlock: { cidr: '::ffff:10.0.0.0/104' } }] }] },
    }),
    /mapped/,
  ],
  ['a Secret of another', one('Secret', SYNCED, { data: { a: btoa('hush\nhush') } }), /victim/],
  ['an Event that shows one', one('Event', {}, { message: 'hush\nhush' }), /victim/],
  ['a Secret of the tenant elsewhere', elsewhere('Event', { message: 'tenant' }), /the tenant/],
])('%s is not', ([, object, reason]) => {
  expect(reasonOf(object)).toMatch(reason)
})

test('a status changes by itself, and what is wanted does not', () => {
  const former = elsewhere('Deployment', { spec: { replicas: 1 }, status: { replicas: 0 } })

  expect(reasonOf({ ...former, status: { replicas: 1 } }, 'MODIFIED', former)).toBeUndefined()
  expect(reasonOf({ ...former, spec: { replicas: 2 } }, 'MODIFIED', former)).toMatch(/changed/)
  expect(reasonOf(former, 'DELETED', former)).toBe('was deleted')
})

test('endpoints are ready or not, and do not become others', () => {
  const former = elsewhere('EndpointSlice', {
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
  })
  const unready = [{ addresses: ['10.0.0.1'], conditions: { ready: false } }]
  const others = [{ addresses: ['10.0.0.2'], conditions: { ready: true } }]

  expect(reasonOf({ ...former, endpoints: unready }, 'MODIFIED', former)).toBeUndefined()
  expect(reasonOf({ ...former, endpoints: others }, 'MODIFIED', former)).toMatch(/changed/)
})

test('a volume of others does not become one of the tenant', () => {
  const volumeOf = (namespace: string) =>
    elsewhere('PersistentVolume', { spec: { claimRef: { namespace } } })

  expect(reasonOf(volumeOf('evil'), 'MODIFIED', volumeOf('evil'))).toBeUndefined()
  expect(reasonOf(volumeOf('evil'), 'MODIFIED', volumeOf('other'))).toMatch(/changed/)
})

test('objects of the plane itself neither change nor go', () => {
  const former = one('Secret', OF_PLANE, { data: { 'ca.key': 'a' } })

  expect(reasonOf({ ...former, data: { 'ca.key': 'b' } }, 'MODIFIED', former)).toMatch(/changed/)
  expect(reasonOf(former, 'DELETED', former)).toBe('was deleted')
  expect(reasonOf(one('Secret', SYNCED), 'DELETED')).toBeUndefined()
})

test('finds all that a pod uses', () => {
  const spec = {
    volumes: [
      { secret: { secretName: 'a' } },
      { persistentVolumeClaim: { claimName: 'b' } },
      { projected: { sources: [{ configMap: { name: 'c' } }] } },
    ],
    containers: [
      {
        envFrom: [{ secretRef: { name: 'd' } }],
        env: [{ valueFrom: { configMapKeyRef: { name: 'e' } } }],
      },
    ],
    ephemeralContainers: [{ envFrom: [{ secretRef: { name: 'g' } }] }],
    imagePullSecrets: [{ name: 'f' }],
  }

  expect(referencesOf(one('Pod', {}, { spec })).toSorted()).toEqual([
    'ConfigMap c',
    'ConfigMap e',
    'PersistentVolumeClaim b',
    'Secret a',
    'Secret d',
    'Secret f',
    'Secret g',
  ])
})
