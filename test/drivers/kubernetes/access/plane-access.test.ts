import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { READ_ONLY } from '../../../../src/control-plane/driver/endpoint-options.ts'
import type { Plane } from '../../../../src/control-plane/plane/plane.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { PlaneAccess } from '../../../../src/drivers/kubernetes/access/plane-access.ts'
import type { KubernetesContext } from '../../../../src/drivers/kubernetes/context/context.ts'
import { observePlane } from '../../../../src/drivers/kubernetes/observed/observed-plane.ts'
import { toPlane } from '../../../../src/drivers/kubernetes/record/plane-record.ts'
import { recordOf } from '../../../../src/shared/processes/launch/process-record.ts'
import { processTableOf } from '../../../../src/shared/processes/process-table-of.ts'
import { listenOnLoopback } from '../../../support/api/fake-api-server.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster, NO_TUNNELS, putObject } from '../fake-cluster.ts'
import { planeRecordOf } from '../plane-record-of.ts'

type Tunnels = NonNullable<KubernetesContext['tunnels']>

const { signal } = new AbortController()

test('uses a tunnel inside of this process when no other process needs it', async () => {
  const { access, plane } = await storedPlane()

  const endpoint = await access.endpoint(plane, { lasting: false }, signal)

  expect(endpoint).toEqual({
    server: 'https://127.0.0.1:20443/dev',
    certificateAuthority: 'the CA',
    isTransient: true,
  })
})

test('starts a tunnel that outlives this process, with the given options', async () => {
  const { asked, ensure } = lastingTunnels()
  const { access, plane } = await storedPlane({}, { ensure })

  const options = { lasting: true, localPort: 21_000, address: '0.0.0.0' }
  const endpoint = await access.endpoint(plane, options, signal)

  expect(endpoint).toEqual({ server: 'https://127.0.0.1:21443', certificateAuthority: 'the CA' })
  expect(asked).toEqual([
    [
      { name: 'dev', driver: 'kubernetes', namespace: 'team-a', hostContext: 'lab' },
      expect.objectContaining({ address: '0.0.0.0', port: 21_000 }),
    ],
  ])
})

test('ends the tunnel of an idle plane before that pauses itself', async () => {
  const { asked, ensure } = lastingTunnels()
  const { access, plane } = await storedPlane({ idle: '30m' }, { ensure })

  await access.endpoint(plane, { lasting: true }, signal)

  expect(asked.map(([, { longestIdleMs }]) => longestIdleMs)).toEqual([900_000])
})

test('does not use a running tunnel when the plane is only read', async () => {
  const { find, port } = await listeningTunnel()
  const { access, plane } = await storedPlane({}, { find })

  const used = await access.endpoint(plane, { lasting: false }, signal)
  const lookedAt = await access.endpoint(plane, READ_ONLY, signal)

  expect(used.server).toBe(`https://127.0.0.1:${port}`)
  expect(lookedAt.server).toBe('https://127.0.0.1:20443/dev')
})

test('uses the address of the user without a check or a tunnel', async () => {
  const { access, cluster, plane } = await storedPlane()
  const server = 'https://plane.example'
  const before = cluster.api.requests.length

  expect(await access.endpoint(plane, { lasting: true, server }, signal)).toEqual({
    server,
    certificateAuthority: 'the CA',
  })
  expect(cluster.api.requests.slice(before)).toEqual([
    'get /api/v1/namespaces/team-a/secrets/vplane-dev-record',
  ])
})

test('reads no record whose CA is cached', async () => {
  const { access, cluster, plane, record } = await storedPlane()
  access.know(record)
  const before = cluster.api.requests.length

  await access.endpoint(plane, { lasting: false }, signal)
  await access.endpoint(plane, { lasting: false }, signal)

  expect(cluster.api.requests).toHaveLength(before)
})

test('uses the tunnel when an exposed plane cannot be reached', async () => {
  const { access, plane } = await storedPlane({ expose: { type: 'ingress', host: 'localhost' } })

  const { isTransient } = await access.endpoint(plane, { lasting: false }, signal)

  expect(isTransient).toBe(true)
})

test.for([
  ['tries an address that refuses connections again before it starts a tunnel', false],
  ['uses a running tunnel as soon as an address refuses connections', true],
] as const)('%s', async ([, isUp]) => {
  const { ensure } = lastingTunnels()
  const tunnels = isUp ? { ensure, find: (await listeningTunnel()).find } : { ensure }
  const { access, cluster, plane } = await storedPlane(
    { expose: { type: 'load-balancer' } },
    tunnels,
  )
  const status = { loadBalancer: { ingress: [{ ip: '127.0.0.1' }] } }
  putObject(cluster.api, ['Service', { name: 'vplane-dev-api' }], { spec: {}, status })
  const end = new AbortController()
  const reads = () => cluster.api.requests.filter((one) => one.includes('/services/')).length

  const endpoint = access.endpoint(plane, { lasting: true }, end.signal).catch(() => undefined)
  await expect.poll(reads).toBeGreaterThan(isUp ? 0 : 1)
  end.abort()

  expect((await endpoint)?.server).toBe(isUp ? 'https://127.0.0.1:21443' : undefined)
})

test('asks the host again for the address of an exposed plane after it did not answer', async () => {
  const { access, cluster, plane } = await storedPlane({ expose: { type: 'load-balancer' } })
  let isDown = true
  const isRefused = (request: string) => isDown && request.includes('/services/')
  Object.assign(cluster.api.hooks, refusing(503, 'the host does not answer', isRefused))

  const down = await rejectionOf(access.endpoint(plane, { lasting: false }, signal))
  isDown = false
  const { isTransient } = await access.endpoint(plane, { lasting: false }, signal)

  expect(down.code).toBe('UNREACHABLE')
  expect(isTransient).toBe(true)
})

test('fails when a plane has no certificates yet, or does not exist', async () => {
  const { access, cluster, plane } = await storedPlane()
  const unfinished = await cluster.store('new', { isComplete: false })
  const early = toPlane(unfinished.record, { namespace: 'team-a', hostContext: 'lab' })
  cluster.api.remove('/api/v1/namespaces/team-a/secrets/vplane-dev-record')

  const gone = await rejectionOf(access.endpoint(plane, { lasting: false }, signal))
  const young = await rejectionOf(access.endpoint(early, { lasting: false }, signal))

  expect(gone.code).toBe('CONTROL_PLANE_NOT_FOUND')
  expect(young).toMatchObject({ code: 'FAILED', hints: ['vplane create new'] })
})

test('describes the address of a plane without a tunnel', async () => {
  const { access, observed, plane } = await storedPlane()

  const before = await access.describe(plane, { observed })
  await access.endpoint(plane, { lasting: false }, signal)
  const after = await access.describe(plane, { events: true, observed })

  expect(before).toEqual({ server: 'https://vplane-dev-api.team-a.svc' })
  expect(after).toEqual({
    server: 'https://127.0.0.1:20443/dev',
    endpoints: ['https://vplane-dev-api.team-a.svc'],
  })
})

test('returns all addresses of an exposed plane on request', async () => {
  const { access, observed, plane } = await storedPlane({
    expose: { type: 'ingress', host: 'dev.example' },
  })

  expect(await access.describe(plane, { events: true, observed })).toEqual({
    server: 'https://dev.example',
    endpoints: ['https://vplane-dev-api.team-a.svc', 'https://dev.example'],
  })
})

async function storedPlane(userSpec: UserSpec = {}, tunnels: Partial<Tunnels> = {}) {
  const cluster = new FakeCluster()
  const record = planeRecordOf('dev', { userSpec, certificateAuthority: 'the CA' })
  await cluster.store('dev', record)
  const context = cluster.driverContext()
  const access = new PlaneAccess({ ...context, tunnels: { ...NO_TUNNELS, ...tunnels } })
  const plane: Plane = toPlane(record, { namespace: 'team-a', hostContext: 'lab' })
  const observed = await observePlane(cluster.api, { name: 'dev', namespace: 'team-a' }, signal)
  return { access, cluster, observed, plane, record }
}

/** Tunnels that outlive this process, and what they were asked for. */
function lastingTunnels() {
  const asked: Array<Parameters<Tunnels['ensure']>> = []
  const ensure: Tunnels['ensure'] = (...request) => {
    asked.push(request)
    return Promise.resolve(tunnelRecord(request[0]))
  }
  return { asked, ensure }
}

/** A tunnel that another process runs. */
async function listeningTunnel() {
  const listener = createServer()
  const port = await listenOnLoopback(listener)
  onTestFinished(() => void listener.close())
  const own = recordOf(process.pid, processTableOf(process.platform))
  const find: Tunnels['find'] = (plane) =>
    Promise.resolve({ ...tunnelRecord(plane), port, process: { ...own, revision: 'r' } })
  return { find, port }
}

function tunnelRecord(
  plane: Parameters<Tunnels['ensure']>[0],
): Awaited<ReturnType<Tunnels['ensure']>> {
  return {
    formatVersion: 1,
    writtenBy: '0.1.0',
    plane,
    address: '127.0.0.1',
    port: 21_443,
    host: { files: [], environment: {} },
    idleTimeoutMs: 1000,
    revision: 'r',
  }
}
