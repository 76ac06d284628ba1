import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CreateRequest } from '../../../../src/control-plane/driver/requests.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { leadToGateway } from '../../../../src/drivers/kubernetes/gateway/endpoint-switch.ts'
import { setGatewayState } from '../../../../src/drivers/kubernetes/gateway/gateway-planes.ts'
import { pausePlane } from '../../../../src/drivers/kubernetes/lifecycle/pause-plane.ts'
import { gatewayOf } from '../../../../src/manifests/gateway-records.ts'
import {
  COMPONENT_LABEL,
  GATEWAY_LABELS,
  KEPT_LABEL,
  PLANE_LABEL,
} from '../../../../src/manifests/object-names.ts'
import { programFile } from '../../../../src/manifests/templates/load-templates.ts'
import { fieldAt, recordsAt } from '../../../../src/shared/json-fields.ts'
import { refusal } from '../../../support/api/memory-host-api.ts'
import { temporaryFolder } from '../../../support/machine/temporary-folder.ts'
import { FakeCluster } from '../fake-cluster.ts'

const HOUR_MS = 3_600_000
const WAKES: UserSpec = { idle: '1h', wake: { by: 'any' } }
const OF_PLANE = {
  selector: { [COMPONENT_LABEL]: 'kube-apiserver', [PLANE_LABEL]: 'dev' },
  target: 'https',
}
const OF_GATEWAY = { selector: GATEWAY_LABELS, target: 20_000 }

/** The programs of the keeper and of the gateway, which unit tests do not build. */
let programs: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  programs = await temporaryFolder()
  for (const program of ['keeper', 'gateway'] as const) {
    writeFileSync(join(programs.path, programFile(program)), program)
  }
  vi.stubGlobal('VPLANE_PROGRAMS', programs.path)
})
afterEach(async () => {
  vi.unstubAllGlobals()
  await programs[Symbol.asyncDispose]()
})

test('has the keeper of the namespace wait for the clients of a plane that was created paused', async () => {
  const cluster = new FakeCluster()

  await createPaused(cluster)

  expect(keptIn(cluster)).toBe('asleep')
  expect(cluster.pods()).toEqual(['vplane-gateway-0', 'vplane-keeper-0'])
})

test('applies the keeper of the namespace once for planes that differ in their names alone', async () => {
  const cluster = new FakeCluster()
  const host = { answers: { names: new Map() } }
  await createPaused(cluster, { host })
  const before = cluster.api.requests.length

  await cluster.create('other', { userSpec: WAKES, isPaused: true, host })

  const shared = cluster.api.requests
    .slice(before)
    .filter((request) => /vplane-(keeper|gateway)/.test(request))
  const keeper = '/apis/apps/v1/namespaces/team-a/deployments/vplane-keeper'
  expect(shared).toEqual([`get ${keeper}`, `patch ${keeper}`])
})

test('does without a keeper for a plane that only its contexts start', async () => {
  const cluster = new FakeCluster()

  await createPaused(cluster, { userSpec: { idle: '1h' } })

  expect(keptIn(cluster)).toBe('false')
  expect(cluster.pods()).toEqual([])
})

test(
  'leads clients to the gateway after an interruption at any step',
  { timeout: 60_000 },
  async () => {
    const whole = new FakeCluster()
    await createPaused(whole)
    const writes = whole.api.writes.length

    for (let cut = 1; cut <= writes; cut += 1) {
      const cluster = await interrupted(cut)

      const { record } = await createPaused(cluster)
      await playKeeper(cluster)

      expect(record).toMatchObject({ desired: 'paused', isComplete: true, neverStarted: true })
      expect(keptIn(cluster)).toBe('asleep')
      expect(endpointIn(cluster)).toEqual(OF_GATEWAY)
      expect(cluster.pods()).toEqual(whole.pods())
    }
  },
)

test('leads clients to a plane that is started before its creation was complete', async () => {
  const whole = new FakeCluster()
  await createPaused(whole)
  const cluster = await interrupted(whole.api.writes.length - 2)
  const before = endpointIn(cluster)

  await createPaused(cluster, { isPaused: false })

  expect([before, endpointIn(cluster)]).toEqual([OF_GATEWAY, OF_PLANE])
  expect(keptIn(cluster)).toBe('true')
})

test('leaves clients at the gateway when a user pauses what was never started', async () => {
  const cluster = new FakeCluster()
  const stored = await createPaused(cluster)
  await playKeeper(cluster)

  await pausePlane(cluster.driverContext(), stored, cluster.operation())

  expect(keptIn(cluster)).toBe('asleep')
  expect(endpointIn(cluster)).toEqual(OF_GATEWAY)
  expect(cluster.pods()).toContain('vplane-keeper-0')
})

function createPaused(cluster: FakeCluster, request: Partial<CreateRequest> = {}) {
  return cluster.create('dev', { userSpec: WAKES, isPaused: true, ...request })
}

/** A host where a creation was interrupted before one of its writes, an hour ago, and where the keeper has done its work. */
async function interrupted(cut: number): Promise<FakeCluster> {
  let left = cut
  const cluster = new FakeCluster({
    onRequest: ({ verb }) => {
      if (!['get', 'list', 'watch'].includes(verb) && left-- <= 0) {
        throw refusal(500, 'cut off')
      }
    },
  })
  await createPaused(cluster).catch(() => {})
  left = Number.POSITIVE_INFINITY
  // The Lease of the interrupted command has expired.
  cluster.time = new Date(cluster.time.getTime() + HOUR_MS)
  await playKeeper(cluster)
  return cluster
}

/** Does what the keeper does at first for a plane that sleeps, as far as its objects exist. */
async function playKeeper(cluster: FakeCluster): Promise<void> {
  const { signal } = cluster.operation()
  const hasKeeper = cluster.pods().includes('vplane-keeper-0')
  if (keptIn(cluster) === 'asleep' && hasKeeper) {
    const { record, ...place } = await cluster.stored('dev')
    const plane = { gateway: gatewayOf(place.namespace), key: place.name, id: record.id }
    const { port } = await setGatewayState(cluster.api, plane, { state: 'asleep', signal })
    await leadToGateway(cluster.api, place, { port, signal })
  }
}

function keptIn(cluster: FakeCluster): string | undefined {
  const path = '/api/v1/namespaces/team-a/configmaps/vplane-dev-keeper-settings'
  return cluster.api.objects.get(path)?.metadata.labels?.[KEPT_LABEL]
}

function endpointIn(cluster: FakeCluster): unknown {
  const service = cluster.api.objects.get('/api/v1/namespaces/team-a/services/vplane-dev-api')
  const [port] = recordsAt(service, 'spec', 'ports')
  return { selector: fieldAt(service, 'spec', 'selector'), target: port?.['targetPort'] }
}
