import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { readKeys } from '../../../../src/drivers/kubernetes/objects/plane-keys.ts'
import { acquireLease } from '../../../../src/drivers/kubernetes/record/plane-lease.ts'
import { unnamedAddresses } from '../../../../src/drivers/kubernetes/maintain/maintain-plane.ts'
import { nameServer } from '../../../../src/drivers/kubernetes/maintain/name-server.ts'
import { observePlane } from '../../../../src/drivers/kubernetes/observed/observed-plane.ts'
import { FakeCluster } from '../fake-cluster.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const SERVICE = '/api/v1/namespaces/team-a/services/vplane-dev-api'

test('makes the certificate valid for a later load balancer, once', async () => {
  const { cluster, name, server } = await exposedPlane({ type: 'load-balancer' })
  await balance(cluster, '192.0.2.7')
  const before = await server()

  await name()
  const writes = cluster.api.writes.length
  await name()

  const after = await server()
  expect(before.checkIP('192.0.2.7')).toBeUndefined()
  expect(after.checkIP('192.0.2.7')).toBeDefined()
  expect(after.checkHost('vplane-dev-api.team-a.svc')).toBeDefined()
  expect(cluster.api.writes).toHaveLength(writes)
  expect(cluster.recordOf('dev')).toMatchObject({ serverAddresses: ['192.0.2.7'] })
  expect(cluster.recordOf('dev')).not.toHaveProperty('journal')
})

test('keeps the addresses that it was valid for', async () => {
  const { cluster, name, server } = await exposedPlane({ type: 'load-balancer' })
  await balance(cluster, '192.0.2.7')
  await name()
  await balance(cluster, '192.0.2.8')

  await name()

  const certificate = await server()
  expect(certificate.checkIP('192.0.2.7')).toBeDefined()
  expect(certificate.checkIP('192.0.2.8')).toBeDefined()
})

test('makes it valid for the nodes where pods are', async () => {
  const { cluster, name, server } = await exposedPlane({ type: 'node-port' })
  const ports = [{ port: 443, nodePort: 30_443 }]
  await cluster.api.patch(SERVICE, { spec: { ports } }, { type: 'merge' })

  await name()

  expect((await server()).checkIP('10.99.1.10')).toBeDefined()
})

test.for([
  { type: 'none' },
  { type: 'ingress', host: 'dev.example' },
  { type: 'load-balancer', host: 'dev.example' },
] as const)('leaves the certificate of a plane exposed as %j as it is', async (expose) => {
  const { cluster, name, server } = await exposedPlane(expose)
  const before = (await server()).fingerprint256
  const writes = cluster.api.writes.length

  await name()

  expect((await server()).fingerprint256).toBe(before)
  expect(cluster.api.writes).toHaveLength(writes)
})

test('does nothing while another vplane works on the plane', async () => {
  const { cluster, name, server } = await exposedPlane({ type: 'load-balancer' })
  await balance(cluster, '192.0.2.7')
  const { signal } = cluster.operation()
  await using _held = await acquireLease(cluster.api, { ...PLACE, signal, now: () => cluster.time })

  await name()

  expect((await server()).checkIP('192.0.2.7')).toBeUndefined()
})

async function exposedPlane(expose: NonNullable<UserSpec['expose']>) {
  const cluster = new FakeCluster()
  await cluster.create('dev', { userSpec: { expose } })
  const { signal } = cluster.operation()
  return {
    cluster,
    name: async () => {
      const { record } = await cluster.stored('dev')
      const options = { place: PLACE, id: record.id, now: () => cluster.time }
      const observed = await observePlane(cluster.api, PLACE, signal)
      const addresses = await unnamedAddresses(record, observed)
      if (addresses.length > 0) {
        await nameServer(cluster.api, options, { addresses, signal })
      }
    },
    server: async () => {
      const files = await readKeys(cluster.api, PLACE, signal)
      return new X509Certificate(files['apiserver.crt'] ?? '')
    },
  }
}

async function balance(cluster: FakeCluster, ip: string): Promise<void> {
  const status = { loadBalancer: { ingress: [{ ip }] } }
  await cluster.api.patch(SERVICE, { status }, { type: 'merge' })
}
