import { operatorValues } from '../../../src/drivers/kubernetes/operator/operator-objects.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import {
  gatewayValues,
  namespaceKeeperValues,
} from '../../../src/manifests/values/keeper-values.ts'
import { templateValues } from '../../../src/manifests/values/template-values.ts'
import { packageRoot } from '../../../src/shared/package-root.ts'
import { manifestInputOf } from '../manifest-input-of.ts'

const COMPONENTS = ['etcd', 'kine', 'apiServer', 'controllerManager', 'scheduler']
/** It has all that there is. */
const SCHEDULED = {
  sync: { nodes: true, scheduler: 'virtual' },
  backup: { schedule: 'daily', store: 's3://backups' },
  idle: '1h',
  wake: { by: 'any' },
} as const

const SQLITE = { store: { kine: { sqlite: {} } } }

/** The paths of all values: those that every component has without the component. */
function pathsOf(values: object): string[] {
  const sections = Object.entries(values).map(
    ([section, fields]) => [section, Object.keys(Object(fields))] as const,
  )
  const common = (field: string) =>
    COMPONENTS.every((name) => sections.some(([one, all]) => one === name && all.includes(field)))
  const paths = sections.flatMap(([section, fields]) =>
    fields.map((field) =>
      COMPONENTS.includes(section) && common(field) ? field : `${section}.${field}`,
    ),
  )
  return [...new Set(paths)].toSorted()
}

test('has all the values that the page about templates lists, and no others', () => {
  const page = readFileSync(join(packageRoot(), 'templates', 'README.md'), 'utf8')
  const cells = [...page.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = '']) => cell)
  const listed = cells.flatMap((cell) =>
    [...cell.matchAll(/`([\w.]+)`/g)].map(([, path = '']) => path),
  )

  const settings = { namespace: 'vplane-system', scope: 'namespace', replicas: 1 } as const
  const operator = operatorValues(settings, () => '')
  const input = manifestInputOf(SCHEDULED)
  const { kine } = templateValues(manifestInputOf(SQLITE))
  const values = {
    ...templateValues(input),
    kine,
    namespaceKeeper: namespaceKeeperValues(input),
    gateway: gatewayValues(input),
    operator,
  }
  expect(listed.toSorted()).toEqual(pathsOf(values))
})

test.for([
  ['none', 'ClusterIP'],
  ['ingress', 'ClusterIP'],
  ['node-port', 'NodePort'],
  ['load-balancer', 'LoadBalancer'],
] as const)('exposes by %s with a Service of type %s', ([type, serviceType]) => {
  const host = type === 'ingress' ? { host: 'a.test' } : {}

  const values = templateValues(manifestInputOf({ expose: { type, ...host } }))

  expect(values['endpoint']).toMatchObject({ serviceType })
})

test.for(['load-balancer', 'ingress'] as const)('puts annotations in their place: %s', (type) => {
  const annotations = { 'a.test/b': 'c' }
  const expose = { type, host: 'a.test', annotations }

  const { endpoint } = templateValues(manifestInputOf({ expose }))

  expect(endpoint).toHaveProperty(
    type === 'ingress' ? 'ingressAnnotations' : 'serviceAnnotations',
    type === 'ingress' ? expect.objectContaining(annotations) : annotations,
  )
  expect(Object(endpoint).serviceAnnotations).toEqual(type === 'ingress' ? undefined : annotations)
})

test('passes TLS through an Ingress, whatever the user adds', () => {
  const expose = { type: 'ingress', host: 'a.test', annotations: { x: 'y' } } as const

  expect(templateValues(manifestInputOf({ expose }))['endpoint']).toMatchObject({
    ingressAnnotations: { 'nginx.ingress.kubernetes.io/ssl-passthrough': 'true', x: 'y' },
  })
})

test('stores data in memory of the node, or in its own volume', () => {
  const etcdOf = (ephemeral: boolean) =>
    Object(templateValues(manifestInputOf({ ephemeral, storage: { size: '3Gi' } }))['etcd'])

  expect(etcdOf(true)).toMatchObject({
    ephemeralVolume: { name: 'data', emptyDir: { sizeLimit: '3Gi' } },
    volumeClaimTemplates: undefined,
  })
  expect(etcdOf(false)).toMatchObject({
    ephemeralVolume: undefined,
    volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '3Gi' } } } }],
  })
})

test('replaces a single kube-controller-manager by stopping it, several one by one', () => {
  const managerOf = (replicas: number) =>
    templateValues(manifestInputOf({ controllerManager: { replicas } }))['controllerManager']

  expect(managerOf(1)).toMatchObject({ strategy: { type: 'Recreate' } })
  expect(managerOf(2)).toMatchObject({ strategy: { type: 'RollingUpdate' } })
})

test('elects one of several syncers with a Lease, and replaces a single one by stopping it', () => {
  const syncerOf = (replicas: number) =>
    templateValues(manifestInputOf({ sync: { replicas } }))['syncer']

  expect(syncerOf(1)).toMatchObject({
    strategy: { type: 'Recreate' },
    affinity: undefined,
    leaseName: undefined,
  })
  expect(syncerOf(2)).toMatchObject({
    strategy: { type: 'RollingUpdate' },
    affinity: { podAntiAffinity: expect.anything() },
    leaseName: 'vplane-dev-syncer',
  })
})

test('uses images from the registry in the spec', () => {
  const fields = { registry: 'r.test/mirror', pullPolicy: 'Always' } as const
  const images = { ...fields, pullSecrets: ['one'] }
  const values = templateValues(manifestInputOf({ ...SCHEDULED, version: '1.35.4', images }))

  expect(values['images']).toEqual({ ...fields, pullSecrets: [{ name: 'one' }] })
  expect(COMPONENTS.flatMap((name) => Object(values[name]).image ?? [])).toEqual([
    'r.test/mirror/etcd:3.6.16-0',
    'r.test/mirror/kube-apiserver:v1.35.4',
    'r.test/mirror/kube-controller-manager:v1.35.4',
    'r.test/mirror/kube-scheduler:v1.35.4',
  ])
})

test('uses the image of kine of its project, or of the spec, whatever the registry is', () => {
  const imageOf = (images: NonNullable<UserSpec['images']>) => {
    const { etcd, kine } = templateValues(manifestInputOf({ ...SQLITE, images }))
    return [etcd, Object(kine).image]
  }

  expect(imageOf({ registry: 'r.test/mirror' })).toEqual([
    undefined,
    'docker.io/rancher/kine:v0.17.2-nocgo',
  ])
  expect(imageOf({ kine: 'r.test/kine@sha256:c0ffee' })[1]).toBe('r.test/kine@sha256:c0ffee')
})
