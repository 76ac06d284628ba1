import { expect, test } from 'vitest'
import type { LinkedService } from '../../../../src/syncer/translate/pod-draft/pod-context.ts'
import {
  CONTEXT,
  hostContainer,
  hostEnv,
  podWith,
  podWithContainer,
  refusalsOf,
  translated,
} from './some-pods.ts'

const DATABASE: LinkedService = {
  name: 'my-db',
  clusterIp: '10.96.1.2',
  ports: [
    { name: 'sql', port: 5432, protocol: 'TCP' },
    { name: 'my-dns', port: 53, protocol: 'UDP' },
  ],
}

test('tells where the API of the plane is', () => {
  expect(hostContainer(podWith({ enableServiceLinks: false }))['env']).toEqual([
    { name: 'KUBERNETES_SERVICE_HOST', value: '10.96.0.9' },
    { name: 'KUBERNETES_SERVICE_PORT', value: '443' },
    { name: 'KUBERNETES_SERVICE_PORT_HTTPS', value: '443' },
    { name: 'KUBERNETES_PORT', value: 'tcp://10.96.0.9:443' },
    { name: 'KUBERNETES_PORT_443_TCP', value: 'tcp://10.96.0.9:443' },
    { name: 'KUBERNETES_PORT_443_TCP_PROTO', value: 'tcp' },
    { name: 'KUBERNETES_PORT_443_TCP_PORT', value: '443' },
    { name: 'KUBERNETES_PORT_443_TCP_ADDR', value: '10.96.0.9' },
  ])
})

test('hides the host’s own variables of an API at another port, and writes IPv6 addresses', () => {
  const context = { ...CONTEXT, apiServer: { host: 'fd00::1', port: 6443 } }

  expect(hostContainer(podWith(), context)['env']).toEqual(
    expect.arrayContaining([
      { name: 'KUBERNETES_PORT_6443_TCP', value: 'tcp://[fd00::1]:6443' },
      { name: 'KUBERNETES_PORT_443_TCP', value: 'tcp://[fd00::1]:6443' },
      { name: 'KUBERNETES_PORT_443_TCP_ADDR', value: 'fd00::1' },
    ]),
  )
})

test('links the services of the namespace, like a kubelet', () => {
  expect(hostEnv(podWith(), { ...CONTEXT, services: [DATABASE] })).toEqual({
    MY_DB_SERVICE_HOST: '10.96.1.2',
    MY_DB_SERVICE_PORT: '5432',
    MY_DB_SERVICE_PORT_SQL: '5432',
    MY_DB_SERVICE_PORT_MY_DNS: '53',
    MY_DB_PORT: 'tcp://10.96.1.2:5432',
    MY_DB_PORT_5432_TCP: 'tcp://10.96.1.2:5432',
    MY_DB_PORT_5432_TCP_PROTO: 'tcp',
    MY_DB_PORT_5432_TCP_PORT: '5432',
    MY_DB_PORT_5432_TCP_ADDR: '10.96.1.2',
    MY_DB_PORT_53_UDP: 'udp://10.96.1.2:53',
    MY_DB_PORT_53_UDP_PROTO: 'udp',
    MY_DB_PORT_53_UDP_PORT: '53',
    MY_DB_PORT_53_UDP_ADDR: '10.96.1.2',
  })
})

test.for([
  ['a pod that wants no links', { enableServiceLinks: false }, DATABASE],
  ['a headless service', {}, { ...DATABASE, clusterIp: 'None' }],
  ['an external name', {}, { ...DATABASE, clusterIp: '' }],
  ['a service without ports', {}, { ...DATABASE, ports: [] }],
  ['one that is called like the API', {}, { ...DATABASE, name: 'kubernetes' }],
] as const)('links nothing for %s', ([, spec, service]) => {
  const context = { ...CONTEXT, services: [service] }

  expect(hostEnv(podWith(spec), context)).toEqual({})
  expect(hostContainer(podWith(spec), context)['env']).toContainEqual({
    name: 'KUBERNETES_SERVICE_HOST',
    value: '10.96.0.9',
  })
})

test('puts the user’s variables last, and lets them replace the others', () => {
  const env = [
    { name: 'KUBERNETES_SERVICE_HOST', value: 'api.example.com' },
    { name: 'URL', value: 'https://$(MY_DB_SERVICE_HOST)' },
  ]
  const all = hostContainer(podWithContainer({ env }), { ...CONTEXT, services: [DATABASE] })['env']

  expect(all).toEqual([
    ...(Array.isArray(all) ? all.slice(0, -2) : []),
    { name: 'KUBERNETES_SERVICE_HOST', value: 'api.example.com' },
    { name: 'URL', value: 'https://$(MY_DB_SERVICE_HOST)' },
  ])
  expect(all).not.toContainEqual({ name: 'KUBERNETES_SERVICE_HOST', value: '10.96.0.9' })
})

test('reads the plane’s ConfigMaps and Secrets', () => {
  const pod = podWithContainer({
    env: [
      { name: 'A', valueFrom: { configMapKeyRef: { name: 'app', key: 'a', optional: true } } },
      { name: 'B', valueFrom: { secretKeyRef: { name: 'db', key: 'b' } } },
      { name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
      { name: 'D', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'env', key: 'd' } } },
    ],
    envFrom: [{ prefix: 'P_', configMapRef: { name: 'all' } }, { secretRef: { name: 'every' } }],
  })

  expect(hostEnv(pod)).toEqual({
    A: { configMapKeyRef: { name: 'app-x-shop-x-dev', key: 'a', optional: true } },
    B: { secretKeyRef: { name: 'db-x-shop-x-dev', key: 'b' } },
    C: { resourceFieldRef: { resource: 'limits.cpu' } },
    D: { fileKeyRef: { volumeName: 'v', path: 'env', key: 'd' } },
  })
  expect(hostContainer(pod)['envFrom']).toEqual([
    { prefix: 'P_', configMapRef: { name: 'all-x-shop-x-dev' } },
    { secretRef: { name: 'every-x-shop-x-dev' } },
  ])
  expect(translated(pod).needs).toMatchObject({
    configMaps: ['all', 'app'],
    secrets: ['db', 'every'],
  })
})

test('shows a container its virtual fields', () => {
  const fields = {
    NAME: 'metadata.name',
    NAMESPACE: 'metadata.namespace',
    UID: 'metadata.uid',
    ACCOUNT: 'spec.serviceAccountName',
    NODE: 'spec.nodeName',
    HOST: 'status.hostIP',
    IP: 'status.podIP',
    LABEL: "metadata.labels['app']",
    NOTE: "metadata.annotations['note']",
  }

  expect(hostEnv(podWithContainer({ env: envOf(fields) }))).toEqual({
    NAME: 'web',
    NAMESPACE: 'shop',
    UID: 'uid-of-web',
    ACCOUNT: 'default',
    NODE: { fieldRef: { fieldPath: 'spec.nodeName' } },
    HOST: { fieldRef: { fieldPath: 'status.hostIP' } },
    IP: { fieldRef: { fieldPath: 'status.podIP' } },
    LABEL: { fieldRef: { fieldPath: "metadata.labels['app']" } },
    NOTE: { fieldRef: { fieldPath: "metadata.annotations['note']" } },
  })
})

test('refuses a field that it cannot show', () => {
  const env = envOf({ ALL: 'metadata.managedFields' })

  expect(refusalsOf(podWithContainer({ env }))).toEqual([
    expect.stringContaining('fieldPath "metadata.managedFields" is not a pod field'),
  ])
})

test('refuses a reference without a name, and a source that it does not know', () => {
  const env = [
    { name: 'A', valueFrom: { secretKeyRef: { key: 'b' } } },
    { name: 'B', valueFrom: { hostRef: { name: 'x' } } },
  ]

  expect(refusalsOf(podWithContainer({ env }))).toEqual([
    expect.stringContaining('env[B].valueFrom.hostRef is unknown'),
    expect.stringContaining('env[A].valueFrom.secretKeyRef.name is missing'),
  ])
})

function envOf(fields: Record<string, string>) {
  return Object.entries(fields).map(([name, fieldPath]) => ({
    name,
    valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } },
  }))
}
