import { expect, test } from 'vitest'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import {
  directServers,
  inClusterServer,
} from '../../../../src/drivers/kubernetes/access/direct-servers.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const SERVICE = '/api/v1/namespaces/team-a/services/vplane-dev-api'
const { signal } = new AbortController()

test('sends no request for a plane that is not exposed', async () => {
  const api = new MemoryHostApi()

  expect(await serversOf(api, { type: 'none' })).toEqual([])
  expect(api.requests).toEqual([])
})

test('returns the host name of an ingress', async () => {
  const api = new MemoryHostApi()

  expect(await serversOf(api, { type: 'ingress', host: 'dev.example' })).toEqual([
    'https://dev.example',
  ])
})

test.for([
  [{ ingress: [{ ip: '192.0.2.7' }] }, ['https://192.0.2.7']],
  [{ ingress: [{ ip: 'fd00::7' }] }, ['https://[fd00::7]']],
  [{ ingress: [{ hostname: 'lb.example', ip: '' }] }, ['https://lb.example']],
  [{ ingress: null }, []],
  [undefined, []],
] as const)('returns the address of the load balancer %j', async ([loadBalancer, servers]) => {
  const api = new MemoryHostApi()
  putService(api, {}, { loadBalancer })

  expect(await serversOf(api, { type: 'load-balancer' })).toEqual(servers)
})

test('returns the host name of a load balancer first', async () => {
  const api = new MemoryHostApi()
  putService(api, {}, { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } })

  const servers = await serversOf(api, { type: 'load-balancer', host: 'dev.example' })

  expect(servers).toEqual(['https://dev.example', 'https://192.0.2.7'])
})

test('returns the nodes of its pods, with the port of the Service', async () => {
  const api = new MemoryHostApi()
  putService(api, { ports: [{ port: 443, nodePort: 30443 }] }, {})
  for (const [name, hostIP] of [
    ['a', '10.99.1.10'],
    ['b', '10.99.1.11'],
    ['c', '10.99.1.10'],
    ['d', undefined],
  ] as const) {
    putPod(api, name, hostIP)
  }

  expect(await serversOf(api, { type: 'node-port' })).toEqual([
    'https://10.99.1.10:30443',
    'https://10.99.1.11:30443',
  ])
})

test('returns nothing before the Service has its port', async () => {
  const api = new MemoryHostApi()
  putPod(api, 'a', '10.99.1.10')

  expect(await serversOf(api, { type: 'node-port', host: 'dev.example' })).toEqual([])
})

test('returns the address of the API inside of the host cluster', () => {
  expect(inClusterServer(PLACE)).toBe('https://vplane-dev-api.team-a.svc')
})

function serversOf(api: MemoryHostApi, expose: NonNullable<UserSpec['expose']>): Promise<string[]> {
  const spec = resolveSpec({ expose }, 'kubernetes')
  return directServers(api, PLACE, { spec, signal })
}

function putService(api: MemoryHostApi, spec: unknown, status: unknown): void {
  const metadata = { name: 'vplane-dev-api', namespace: 'team-a' }
  api.put(SERVICE, { apiVersion: 'v1', kind: 'Service', metadata, spec, status })
}

function putPod(api: MemoryHostApi, name: string, hostIP: string | undefined): void {
  const labels = {
    'app.kubernetes.io/managed-by': 'vplane',
    'vplane.dev/name': 'dev',
    'vplane.dev/component': 'kube-apiserver',
  }
  const metadata = { name, namespace: 'team-a', labels }
  api.put(`/api/v1/namespaces/team-a/pods/${name}`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    status: { hostIP },
  })
}
