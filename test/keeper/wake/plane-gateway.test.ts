import { afterEach, expect, test } from 'vitest'
import { namespaceRoute } from '../../../src/drivers/kubernetes/gateway/gateway-route.ts'
import { GatewayStates } from '../../../src/drivers/kubernetes/gateway/gateway-states.ts'
import { pausePlane } from '../../../src/drivers/kubernetes/lifecycle/pause-plane.ts'
import type { PlaneRecord } from '../../../src/drivers/kubernetes/record/plane-record.ts'
import { statusBoard } from '../../../src/keeper/duties/status-board.ts'
import { PlaneGateway } from '../../../src/keeper/wake/plane-gateway.ts'
import { WakeRequests } from '../../../src/keeper/wake/wake-requests.ts'
import { wakesByAddress } from '../../../src/keeper/wake/wakes-by-address.ts'
import {
  gatewayOf,
  gatewayPlanesOf,
  planesName,
  recordsPatch,
  wakesName,
} from '../../../src/manifests/gateway-records.ts'
import {
  GATEWAY_LABELS,
  GATEWAY_NAME,
  KEPT_LABEL,
  objectLabels,
  objectName,
} from '../../../src/manifests/object-names.ts'
import { recordsAt } from '../../../src/shared/json-fields.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { silentUi } from '../../../src/shared/ui.ts'
import { FakeCluster, putObject } from '../../drivers/kubernetes/fake-cluster.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const SINCE = '2026-06-01T12:00:00.000Z'
const ASLEEP = { desired: 'paused', idleSince: SINCE } as const
const GATEWAY_PLANES = planesName(GATEWAY_NAME)
const GATEWAY_WAKES = wakesName(GATEWAY_NAME)
const TIMES = { hostMs: 200, nodesMs: 1, answerMs: 1 }
const HOME = { a: 'b' }

const worlds: World[] = []
afterEach(() => worlds.splice(0).forEach((world) => world.stop.abort()))

/** A plane that any client wakes, on a host whose addresses follow the endpoint. */
class World {
  readonly stop = new AbortController()
  readonly cluster = new FakeCluster({
    onChange: ({ object }) => {
      if (object.kind === 'Service' && this.followsEndpoint) {
        this.#follow(object)
      }
    },
  })
  readonly api = this.cluster.api
  readonly requests = new WakeRequests(this.api, gatewayOf('team-a'))
  readonly states = new GatewayStates(this.api, gatewayOf('team-a'))
  readonly events: string[] = []
  /** Whether its API was asked as one that was ready before. */
  readonly restarts: boolean[] = []
  readonly #board = statusBoard(this.api, 'wakes', {
    name: objectName('dev', 'keeper-status'),
    namespace: 'team-a',
  })
  readonly #wakes = wakesByAddress({
    boardOf: () => ({
      read: () => this.#board.read(this.stop.signal),
      write: (wakes) => this.#board.write(wakes, this.stop.signal),
    }),
    report: ({ name }, { message, reason }) => this.events.push(`${name}: ${reason}: ${message}`),
    now: () => this.cluster.time,
    elapsedMs: () => this.cluster.time.getTime(),
  })
  followsEndpoint = true
  isReady = true
  hasReadyPod = true
  id = ''

  constructor() {
    worlds.push(this)
    putObject(this.api, ['ConfigMap', { name: GATEWAY_PLANES }])
    putObject(this.api, ['ConfigMap', { name: GATEWAY_WAKES }])
    const labels = { ...objectLabels('dev'), [KEPT_LABEL]: 'true' }
    putObject(this.api, ['ConfigMap', { name: objectName('dev', 'keeper-settings'), labels }])
    putObject(this.api, ['ConfigMap', { name: objectName('dev', 'keeper-status') }])
    const spec = { selector: HOME, ports: [{ name: 'https', port: 443, targetPort: 'https' }] }
    putObject(this.api, ['Service', { name: objectName('dev', 'api') }], { spec })
    this.requests.run(this.stop.signal).catch(() => {})
  }

  /** What the keeper does for the plane, whose record has these fields. */
  async gateway(fields: Partial<PlaneRecord> = {}): Promise<PlaneGateway> {
    const userSpec = { idle: '1m', wake: { by: 'any' } } as const
    this.id = (await this.cluster.storeSynced('dev', { userSpec, ...fields })).record.id
    return this.again(fields.desired === 'paused')
  }

  /** The same once the settings of the plane have changed. */
  again(isAsleep: boolean): PlaneGateway {
    const place = { name: 'dev', namespace: 'team-a', id: this.id }
    const now = () => this.cluster.time
    return new PlaneGateway({
      host: this.api,
      now,
      requests: this.requests,
      plane: { ...place, isAsleep, wakesFrom: ['10.0.0.0/24'] },
      route: namespaceRoute(this.api, place, this.states),
      wakes: this.#wakes,
      isApiReady: async (isRestart) => {
        this.restarts.push(isRestart)
        return this.isReady
      },
      hasReadyPod: async () => this.hasReadyPod,
      times: TIMES,
    })
  }

  /** Pauses the plane as an idle one. */
  async pause(gateway: PlaneGateway, isStill: () => Promise<boolean>): Promise<void> {
    const stored = await this.cluster.stored('dev')
    await gateway.during({ since: new Date(SINCE), isStill }, (idle, signal) =>
      pausePlane(this.cluster.driverContext(), stored, { ui: silentUi, signal, idle }),
    )
  }

  async ask(mark: string, address = '10.0.0.9', id = this.id): Promise<void> {
    const request = recordsPatch({ dev: { id, mark, clients: [{ address }] } })
    await this.api.patch(path('configmaps', GATEWAY_WAKES), request, { type: 'merge' })
  }

  get entry(): unknown {
    return gatewayPlanesOf(this.api.objects.get(path('configmaps', GATEWAY_PLANES))).get('dev')
  }

  get endpoint(): unknown {
    return this.api.objects.get(path('services', objectName('dev', 'api')))?.['spec']
  }

  /** The pods of the plane alone. */
  get pods(): string[] {
    return this.cluster.pods().filter((name) => name.startsWith('vplane-dev-'))
  }

  get kept(): string | undefined {
    const settings = this.api.objects.get(path('configmaps', objectName('dev', 'keeper-settings')))
    return settings?.metadata.labels?.[KEPT_LABEL]
  }

  #follow(service: KubeObject): void {
    const [port] = recordsAt(service, 'spec', 'ports')
    const labels = { 'kubernetes.io/service-name': objectName('dev', 'api') }
    putObject(this.api, ['EndpointSlice', { name: 'slice', labels }], {
      apiVersion: 'discovery.k8s.io/v1',
      ports: [{ port: port?.['targetPort'] }],
      endpoints: [{ conditions: { ready: true } }],
    })
  }
}

test('has clients come to the gateway before the plane is paused, and until it is awake', async () => {
  const world = new World()
  const gateway = await world.gateway()
  const before: unknown[] = []

  await world.pause(gateway, async () => {
    before.push(world.entry, world.endpoint, world.pods.length)
    return true
  })

  const entry = { id: world.id, port: 20_000, state: 'awake' }
  const endpoint = {
    selector: GATEWAY_LABELS,
    ports: [{ name: 'https', port: 443, targetPort: 20_000 }],
  }
  expect(before).toEqual([entry, endpoint, 3])
  expect([world.entry, world.endpoint]).toEqual([{ ...entry, state: 'asleep' }, endpoint])
  expect([world.pods, world.kept]).toEqual([[], 'asleep'])
})

test('interrupts the pause for a client that comes before its end', async () => {
  const world = new World()
  const gateway = await world.gateway()
  const labels = objectLabels('dev', 'kube-apiserver')
  putObject(world.api, ['Pod', { name: 'slow', labels }])

  const pausing = world.pause(gateway, async () => true)
  await expect.poll(() => world.entry).toMatchObject({ state: 'asleep' })
  await world.ask('new')
  await pausing

  expect(world.cluster.recordOf('dev')).toMatchObject({ desired: 'running' })
  expect(world.cluster.recordOf('dev')).not.toHaveProperty('journal')
  expect([world.entry, world.endpoint]).toMatchObject([{ state: 'awake' }, { selector: HOME }])
  expect(world.events).toEqual(['dev: Woken: by 10.0.0.9, in 0.0s'])
  expect([world.pods.length, world.kept]).toEqual([3, 'true'])
})

test('leads a client to the plane that interrupts the pause of a former keeper, which continues', async () => {
  const world = new World()
  const gateway = await world.gateway()
  const labels = objectLabels('dev', 'kube-apiserver')
  putObject(world.api, ['Pod', { name: 'slow', labels }])
  const route = namespaceRoute(
    world.api,
    { name: 'dev', namespace: 'team-a', id: world.id },
    world.states,
  )
  const { port } = await route.tell('awake', world.stop.signal)
  await route.leadAway(port, world.stop.signal)
  await world.cluster.changeRecord('dev', ASLEEP)

  const pausing = world.pause(gateway, async () => false)
  await expect.poll(() => world.entry).toMatchObject({ state: 'asleep' })
  await world.ask('new')
  await pausing

  expect(world.cluster.recordOf('dev')).toMatchObject({ desired: 'running' })
  expect([world.entry, world.endpoint]).toMatchObject([{ state: 'awake' }, { selector: HOME }])
})

test('leads clients back to a plane that was used meanwhile', async () => {
  const world = new World()
  const gateway = await world.gateway()
  const before = world.endpoint

  await world.pause(gateway, async () => false)

  expect(world.endpoint).toEqual(before)
  expect(world.entry).toMatchObject({ state: 'awake' })
  expect([world.pods.length, world.kept]).toEqual([3, 'true'])
})

test('does not pause a plane whose clients no gateway would accept', async () => {
  const world = new World()
  const gateway = await world.gateway()
  const before = world.endpoint
  world.followsEndpoint = false

  const failure = await rejectionOf(world.pause(gateway, async () => true))

  expect(failure).toMatchObject({ message: 'it cannot be paused, because no gateway is ready' })
  expect(world.endpoint).toEqual(before)
  expect(world.cluster.recordOf('dev')).toMatchObject({ desired: 'running' })
})

test('wakes a plane for a client of its ranges, and not for an older request or that of another plane', async () => {
  const world = new World()
  const gateway = await world.gateway(ASLEEP)
  await world.ask('old')
  await expect.poll(() => world.requests.last('dev')?.mark).toBe('old')
  const waking = gateway.reconcile(world.stop.signal)

  await expect.poll(() => world.endpoint).toMatchObject({ selector: GATEWAY_LABELS })
  await world.ask('of another', '10.0.0.9', 'another')
  await expect.poll(() => world.requests.last('dev')?.mark).toBe('of another')
  await world.ask('of a probe', '10.0.1.9')
  await expect.poll(() => world.requests.last('dev')?.mark).toBe('of a probe')
  const stillAsleep = world.cluster.recordOf('dev')
  await world.ask('new')
  await waking

  expect(stillAsleep).toMatchObject({ desired: 'paused' })
  expect(world.cluster.recordOf('dev')).toMatchObject({ desired: 'running' })
  expect(world.cluster.recordOf('dev')).not.toHaveProperty('idleSince')
  expect([world.pods.length, world.kept]).toEqual([3, 'true'])
})

test('wakes a plane that the keeper of its namespace does not keep', async () => {
  const world = new World()
  const gateway = await world.gateway(ASLEEP)
  const { spec } = (await world.cluster.stored('dev')).record
  delete spec.host?.keeper
  await world.cluster.changeRecord('dev', { spec })
  const waking = gateway.reconcile(world.stop.signal)

  await expect.poll(() => world.endpoint).toMatchObject({ selector: GATEWAY_LABELS })
  await world.ask('new')
  await waking

  expect(world.cluster.recordOf('dev')).toMatchObject({ desired: 'running' })
  expect(world.pods).toHaveLength(3)
})

test('leads clients to a plane that runs once its API is ready, and then the host counts it so', async () => {
  const world = new World()
  const asleep = await world.gateway(ASLEEP)
  const waking = asleep.reconcile(world.stop.signal)
  await expect.poll(() => world.endpoint).toMatchObject({ selector: GATEWAY_LABELS })
  await world.ask('new')
  await waking
  const gateway = world.again(false)
  Object.assign(world, { isReady: false, hasReadyPod: false })

  const leading = gateway.reconcile(world.stop.signal)
  await expect.poll(() => world.api.requests.at(-1)).toContain('record')
  const starting = [world.entry, world.endpoint]
  world.isReady = true
  await expect.poll(() => world.entry).toMatchObject({ state: 'awake' })
  const ready = world.endpoint
  world.hasReadyPod = true
  await leading

  expect(starting).toMatchObject([{ state: 'asleep' }, { selector: GATEWAY_LABELS }])
  expect(ready).toMatchObject({ selector: GATEWAY_LABELS })
  expect(world.endpoint).toMatchObject({ selector: HOME, ports: [{ targetPort: 'https' }] })
})

test('leaves a plane asleep that a user has paused meanwhile, and reports why', async () => {
  const world = new World()
  const gateway = await world.gateway(ASLEEP)
  const waking = rejectionOf(gateway.reconcile(world.stop.signal))
  await expect.poll(() => world.endpoint).toMatchObject({ selector: GATEWAY_LABELS })
  await world.cluster.changeRecord('dev', { idleSince: undefined })
  await world.ask('new')

  expect(await waking).toMatchObject({ message: 'it was paused' })
  expect(world.events).toEqual(['dev: WakeFailed: by 10.0.0.9: it was paused'])
  expect(world.cluster.recordOf('dev')).toMatchObject({ desired: 'paused' })
})

test('starts a plane that was created paused, and leads clients there once it has its default objects', async () => {
  const world = new World()
  const asleep = await world.gateway({ desired: 'paused', neverStarted: true, hasData: false })
  const starting = asleep.reconcile(world.stop.signal)
  await expect.poll(() => world.endpoint).toMatchObject({ selector: GATEWAY_LABELS })
  await world.ask('new')
  await starting
  const gateway = world.again(false)

  await gateway.reconcile(world.stop.signal)
  const first = [...world.restarts]
  await world.pause(gateway, async () => true)
  await world.cluster.changeRecord('dev', { desired: 'running', idleSince: undefined })
  await gateway.reconcile(world.stop.signal)

  expect(world.cluster.recordOf('dev')).toMatchObject({ desired: 'running', hasData: false })
  expect(world.cluster.recordOf('dev')).not.toHaveProperty('neverStarted')
  expect([first, world.restarts]).toEqual([[false], [false, true]])
  expect(world.endpoint).toMatchObject({ selector: HOME })
})

test('passes on the clients of a plane that someone else has started, also those that may not wake it', async () => {
  const world = new World()
  const gateway = await world.gateway(ASLEEP)
  const waking = gateway.reconcile(world.stop.signal)
  await expect.poll(() => world.endpoint).toMatchObject({ selector: GATEWAY_LABELS })
  await world.cluster.changeRecord('dev', { desired: 'running', idleSince: undefined })

  await world.ask('of a probe', '10.0.1.9')
  await waking

  expect(world.kept).toBe('true')
  expect(world.events).toEqual([])
})

test('does not read its record for each request of a client that may not wake it', async () => {
  const world = new World()
  const gateway = await world.gateway(ASLEEP)
  const waking = gateway.reconcile(world.stop.signal).catch(() => {})
  await expect.poll(() => world.endpoint).toMatchObject({ selector: GATEWAY_LABELS })
  const before = world.api.requests.length
  for (let count = 0; count < 20; count += 1) {
    await world.ask(`${count}`, '10.0.1.9')
    await expect.poll(() => world.requests.last('dev')?.mark).toBe(`${count}`)
  }
  world.stop.abort()
  await waking

  const reads = world.api.requests.slice(before).filter((one) => one.startsWith('get '))
  expect(reads.length).toBeLessThan(5)
})

test('continues a wake that was interrupted', async () => {
  const world = new World()
  const gateway = await world.gateway(ASLEEP)
  await world.cluster.changeRecord('dev', { desired: 'running', idleSince: undefined })

  await gateway.reconcile(world.stop.signal)

  expect([world.pods.length, world.kept]).toEqual([3, 'true'])
})

function path(resource: string, name: string): string {
  return `/api/v1/namespaces/team-a/${resource}/${name}`
}
