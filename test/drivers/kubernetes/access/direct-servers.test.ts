import { expect, test } from 'vitest'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import {
  directServers,
  inClusterServer,
  serverReads,
} from '../../../../src/drivers/kubernetes/access/direct-servers.ts'
import { objectLabels } from '../../../../src/manifests/object-names.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'
import { putObject } from '../fake-cluster.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const BALANCER = { ingress: [{ ip: '192.0.2.7' }] }
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
  [{}, BALANCER, ['https://192.0.2.7']],
  [{}, { ingress: [{ ip: 'fd00::7' }] }, ['https://[fd00::7]']],
  [{}, { ingress: [{ hostname: 'lb.example', ip: '' }] }, ['https://lb.example']],
  [{}, { ingress: null }, []],
  [{}, undefined, []],
  [{ host: 'dev.example' }, BALANCER, ['https://dev.example', 'https://192.0.2.7']],
] as const)('returns the host in %j, then the address in %j', async ([host, balancer, servers]) => {
  const api = new MemoryHostApi()
  const status = { loadBalancer: balancer }
  putObject(api, ['Service', { name: 'vplane-dev-api' }], { spec: {}, status })

  expect(await serversOf(api, { type: 'load-balancer', ...host })).toEqual(servers)
})

test('returns the nodes of its pods, with the port of the Service', async () => {
  const api = new MemoryHostApi()
  const spec = { ports: [{ port: 443, nodePort: 30443 }] }
  putObject(api, ['Service', { name: 'vplane-dev-api' }], { spec, status: {} })
  putPod(api, 'a', '10.99.1.10')
  putPod(api, 'b', '10.99.1.11')
  putPod(api, 'c', '10.99.1.10')
  putPod(api, 'd', undefined)

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
  return directServers(spec.host?.expose, serverReads(api, PLACE, signal))
}

function putPod(api: MemoryHostApi, name: string, hostIP: string | undefined): void {
  const labels = objectLabels('dev', 'kube-apiserver')
  putObject(api, ['Pod', { name, labels }], { status: { hostIP } })
}
