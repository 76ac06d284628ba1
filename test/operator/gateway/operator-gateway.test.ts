import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Plane } from '../../../src/control-plane/plane/plane.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import type { KubeClient } from '../../../src/kube/client/client.ts'
import { gatewayPlanesOf, recordsPatch } from '../../../src/manifests/gateway-records.ts'
import {
  objectLabels,
  objectName,
  OPERATOR_GATEWAY,
  OPERATOR_GATEWAY_LABELS,
} from '../../../src/manifests/object-names.ts'
import { OperatorGateway } from '../../../src/operator/gateway/operator-gateway.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { fieldAt, recordsAt } from '../../../src/shared/json-fields.ts'
import { FakeCluster, putObject } from '../../drivers/kubernetes/fake-cluster.ts'
import { memoryClient } from '../../support/api/memory-client.ts'

const ANY: UserSpec = { idle: '1m', wake: { by: 'any' } }
const PLACE = { name: 'dev', namespace: 'team-a' }
const WOKEN = { id: '1', ...PLACE }
const SINCE = '2026-06-01T12:00:00.000Z'
const PATIENT = { timeout: 5000 }

let stop: AbortController
beforeEach(() => {
  stop = new AbortController()
})
afterEach(() => stop.abort())

/** An operator in the namespace `system`, with a plane in the namespace `team-a`. */
class World {
  readonly cluster = new FakeCluster()
  readonly api = this.cluster.api
  readonly looks: string[] = []
  readonly declared: Array<{ place: { name: string; namespace: string }; plane: Plane | undefined }>
  readonly gateway: OperatorGateway
  running: Promise<void> | undefined
  /** Whether the host denies watches. */
  isDenied = false

  constructor(...specs: Array<UserSpec | undefined>) {
    this.declared = specs.map((userSpec, index) => {
      const place = { name: index === 0 ? 'dev' : `dev-${index}`, namespace: 'team-a' }
      return { place, plane: userSpec && planeOf(place, userSpec) }
    })
    const containers = [{ name: 'operator', image: 'node:24', imagePullPolicy: 'Always' }]
    this.api.put('/api/v1/namespaces/system', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'system' },
    })
    putObject(this.api, ['Deployment', { name: 'vplane-operator', namespace: 'system' }], {
      apiVersion: 'apps/v1',
      spec: { template: { spec: { containers } } },
    })
    putObject(
      this.api,
      ['Service', { name: objectName('dev', 'api'), labels: objectLabels('dev') }],
      {
        spec: {
          selector: { a: 'b' },
          ports: [{ name: 'https', port: 443, targetPort: 'https' }],
          ipFamilies: ['IPv4', 'IPv6'],
        },
      },
    )
    this.gateway = new OperatorGateway({
      host: this.#host(),
      namespace: 'system',
      declared: () => this.declared,
      checkNow: ({ name }) => this.looks.push(name),
      boardOf: () => ({
        read: async () => ({ count: 0, recent: [], watchers: [] }),
        write: async () => {},
      }),
      report: () => {},
      programOf: () => '',
      log: () => {},
      now: () => this.cluster.time,
      nodesMs: 1,
    })
  }

  run(): void {
    this.running = this.gateway.run(stop.signal)
  }

  putPod(
    name: string,
    { isEnding = false, isReady = true, ips = ['10.1.0.1', 'fd00::1'] } = {},
  ): void {
    const metadata = { name, namespace: 'system', labels: { ...OPERATOR_GATEWAY_LABELS } }
    const deletionTimestamp = isEnding ? { deletionTimestamp: '2026-06-01T12:00:00Z' } : {}
    putObject(this.api, ['Pod', { ...metadata, ...deletionTimestamp, uid: name }], {
      spec: { nodeName: 'n1' },
      status: {
        phase: 'Running',
        podIPs: ips.map((ip) => ({ ip })),
        conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
      },
    })
  }

  /** The memory does not tell when it has listed all. */
  #host(): KubeClient {
    const client = memoryClient(this.api)
    const refuse = () => {
      if (this.isDenied) {
        throw new VplaneError('FAILED', 'the watch is denied')
      }
    }
    return {
      ...client,
      async *watch(path, options) {
        refuse()
        for await (const event of client.watch(path, options)) {
          yield event
          options.onListed?.()
        }
      },
    }
  }

  /** Has the plane sleep at the gateway, until the returned function is called. */
  async sleep(): Promise<{
    woken: typeof WOKEN
    ended: Promise<unknown>
    end: () => Promise<unknown>
  }> {
    this.putPod('first')
    this.run()
    const fields = { userSpec: ANY, desired: 'paused', idleSince: SINCE } as const
    const { record } = await this.cluster.store('dev', fields)
    await expect.poll(() => this.deployment, PATIENT).toBeDefined()
    const woken = { ...WOKEN, id: record.id }
    const end = new AbortController()
    const signal = AbortSignal.any([stop.signal, end.signal])
    const ended = this.gateway
      .gatewayOf({ ...woken, isAsleep: true })
      .reconcile(signal)
      .catch(() => {})
    await expect.poll(() => this.slice('ipv6'), PATIENT).toBeDefined()
    return {
      woken,
      ended,
      end: () => {
        end.abort()
        return ended
      },
    }
  }

  get deployment(): unknown {
    return this.api.objects.get(`/apis/apps/v1/namespaces/system/deployments/${OPERATOR_GATEWAY}`)
  }

  get planes(): Map<string, unknown> {
    const path = `/api/v1/namespaces/system/configmaps/${OPERATOR_GATEWAY}-planes`
    return gatewayPlanesOf(this.api.objects.get(path))
  }

  slice(family: 'ipv4' | 'ipv6') {
    const name = `vplane-dev-api-gateway-${family}`
    const path = `/apis/discovery.k8s.io/v1/namespaces/team-a/endpointslices/${name}`
    return this.api.objects.get(path)
  }

  get endpoints(): unknown[] {
    return recordsAt(this.slice('ipv4'), 'endpoints').map((one) => [
      fieldAt(one, 'targetRef', 'name'),
      ...['ready', 'serving', 'terminating'].map((condition) =>
        fieldAt(one, 'conditions', condition),
      ),
    ])
  }
}

function planeOf(place: { name: string; namespace: string }, userSpec: UserSpec): Plane {
  return {
    ...place,
    id: '1',
    driver: 'kubernetes',
    createdAt: new Date(),
    writtenBy: '',
    userSpec,
    spec: resolveSpec(userSpec, 'kubernetes', { isDeclared: true }),
    desired: 'running',
  }
}

test('has the gateway of its operator while any client wakes one of its planes', async () => {
  const world = new World(ANY)
  world.run()

  await expect
    .poll(() => world.deployment, PATIENT)
    .toMatchObject({
      metadata: {
        labels: OPERATOR_GATEWAY_LABELS,
        ownerReferences: [{ kind: 'Deployment', name: 'vplane-operator' }],
      },
      spec: {
        template: { spec: { containers: [{ image: 'node:24', imagePullPolicy: 'Always' }] } },
      },
    })
  world.declared.pop()

  await expect.poll(() => world.deployment, PATIENT).toBeUndefined()
  const left = [...world.api.objects.keys()].filter(
    (path) => path.includes(OPERATOR_GATEWAY) && !path.includes('/pods/'),
  )
  expect(left).toEqual([])
})

test('creates again what the gateway knows, when someone has deleted it', async () => {
  const world = new World(ANY)
  const { ended, woken } = await world.sleep()
  const before = [...world.planes]

  world.api.remove(`/api/v1/namespaces/system/configmaps/${OPERATOR_GATEWAY}-planes`)
  world.declared.push({ place: { name: 'dev-1', namespace: 'team-a' }, plane: undefined })
  await ended
  const lost = [...world.planes]
  const again = world.gateway.gatewayOf({ ...woken, isAsleep: true }).reconcile(stop.signal)

  await expect.poll(() => [...world.planes], PATIENT).toEqual(before)
  expect([before.length, lost]).toEqual([1, []])
  stop.abort()
  await expect(again).rejects.toThrow('aborted')
})

test('creates again where clients ask to wake planes, when someone has deleted it', async () => {
  const world = new World(ANY)
  await world.sleep()
  const path = `/api/v1/namespaces/system/configmaps/${OPERATOR_GATEWAY}-wakes`

  world.api.remove(path)
  world.declared.push({ place: { name: 'dev-1', namespace: 'team-a' }, plane: undefined })

  await expect.poll(() => world.api.objects.has(path), PATIENT).toBe(true)
})

test('leads a sleeping plane to the gateway again, after someone has deleted what led there', async () => {
  const world = new World(ANY)
  const { ended, woken } = await world.sleep()
  const slices = '/apis/discovery.k8s.io/v1/namespaces/team-a/endpointslices'

  world.api.remove(`${slices}/vplane-dev-api-gateway-ipv4`)
  world.api.remove(`${slices}/vplane-dev-api-gateway-ipv6`)
  world.declared.push({ place: { name: 'dev-1', namespace: 'team-a' }, plane: undefined })
  await ended
  const again = world.gateway.gatewayOf({ ...woken, isAsleep: true }).reconcile(stop.signal)

  await expect.poll(() => world.slice('ipv6'), PATIENT).toBeDefined()
  stop.abort()
  await expect(again).rejects.toThrow('aborted')
})

test('tries again to lead a plane to the gateway whose endpoint is missing', async () => {
  const world = new World(ANY)
  const { end, woken } = await world.sleep()
  await end()
  world.api.remove('/api/v1/namespaces/team-a/services/vplane-dev-api')

  const asleep = world.gateway.gatewayOf({ ...woken, isAsleep: true })

  await expect(asleep.reconcile(stop.signal)).rejects.toThrow(
    'the endpoint of "dev" does not exist',
  )
})

test('creates no gateway for planes that only contexts wake, and keeps one while it does not know a plane', async () => {
  const world = new World({ idle: '1m' }, ANY)
  world.run()
  await expect.poll(() => world.deployment, PATIENT).toBeDefined()

  world.declared[1] = { place: { name: 'dev-1', namespace: 'team-a' }, plane: undefined }
  world.declared.push({ place: { name: 'more', namespace: 'team-a' }, plane: undefined })

  const sweeps = () => world.api.requests.filter((one) => one.startsWith('list ')).length
  const before = sweeps()
  await expect.poll(sweeps, PATIENT).toBeGreaterThanOrEqual(before)
  expect(world.deployment).toBeDefined()
})

test('leads to the pods of the gateway, whatever their state, and follows them', async () => {
  const world = new World(ANY)
  await world.sleep()

  await expect.poll(() => world.endpoints, PATIENT).toEqual([['first', true, true, false]])
  expect(world.slice('ipv4')).toMatchObject({
    metadata: {
      labels: {
        'kubernetes.io/service-name': 'vplane-dev-api',
        'endpointslice.kubernetes.io/managed-by': 'vplane-operator',
        'vplane.dev/name': 'dev',
      },
      ownerReferences: [{ kind: 'Service', name: 'vplane-dev-api' }],
    },
    addressType: 'IPv4',
    ports: [{ name: 'https', port: 20_000, protocol: 'TCP' }],
    endpoints: [{ addresses: ['10.1.0.1'], nodeName: 'n1' }],
  })
  expect(world.slice('ipv6')).toMatchObject({ endpoints: [{ addresses: ['fd00::1'] }] })
  expect([...world.planes]).toEqual([
    ['team-a.dev', { id: expect.any(String), port: 20_000, state: 'asleep' }],
  ])

  world.putPod('first', { isEnding: true })
  world.putPod('second', { isReady: false, ips: ['10.1.0.2'] })
  await expect
    .poll(() => world.endpoints, PATIENT)
    .toEqual([
      ['first', false, true, true],
      ['second', false, false, false],
    ])
})

test('ends when the host denies its watches: without them it would wake nothing', async () => {
  const world = new World(ANY)
  world.isDenied = true
  world.run()

  await expect(world.running).rejects.toThrow('the watch is denied')
})

test('forgets a plane that is gone', async () => {
  const world = new World(ANY, ANY)
  const { end } = await world.sleep()
  await end()

  const wakes = `/api/v1/namespaces/system/configmaps/${OPERATOR_GATEWAY}-wakes`
  const request = recordsPatch({ 'team-a.dev': { id: '1', mark: '1', clients: [] } })
  await world.api.patch(wakes, request, { type: 'merge' })
  world.declared.shift()

  await expect.poll(() => world.api.objects.get(wakes)?.['data'], PATIENT).toEqual({})
  await expect.poll(() => world.planes.size, PATIENT).toBe(0)
  await expect.poll(() => world.slice('ipv4'), PATIENT).toBeUndefined()
  expect(world.looks).toContain('dev')
})

test('does not lead a plane to the gateway again that not any client wakes any more', async () => {
  const world = new World(ANY, ANY)
  const { end, woken } = await world.sleep()
  await end()
  const slices = '/apis/discovery.k8s.io/v1/namespaces/team-a/endpointslices'
  const count = (request: string) =>
    world.api.requests.filter((one) => one === `${request} ${slices}`).length
  const before = count('list')

  // As a change of the plane does.
  world.api.remove(`${slices}/vplane-dev-api-gateway-ipv4`)
  world.api.remove(`${slices}/vplane-dev-api-gateway-ipv6`)
  world.declared[0] = { place: PLACE, plane: planeOf(PLACE, { idle: '1m' }) }
  await expect.poll(() => count('list'), PATIENT).toBeGreaterThan(before)
  const created = count('create')
  world.putPod('second')
  await world.gateway.closing(woken).reconcile(stop.signal)

  expect(count('create')).toBe(created)
})

test('closes the port of a plane that a user has paused, and leads its endpoint back', async () => {
  const world = new World(ANY)
  const { end, woken } = await world.sleep()
  await end()

  await world.gateway.closing(woken).reconcile(stop.signal)

  expect(world.planes.get('team-a.dev')).toMatchObject({ state: 'closed' })
  expect(world.slice('ipv4')).toBeUndefined()
  const service = world.api.objects.get('/api/v1/namespaces/team-a/services/vplane-dev-api')
  expect(service?.['spec']).toMatchObject({
    selector: { a: 'b' },
    ports: [{ targetPort: 'https' }],
  })
})
