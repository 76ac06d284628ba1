import { expect, test } from 'vitest'
import { stepText } from '../../../../src/cli/catalog/step-text.ts'
import { changedSpec } from '../../../../src/control-plane/changes/changed-spec.ts'
import type { SyncSteps } from '../../../../src/control-plane/driver/sync-steps.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { changePlane } from '../../../../src/drivers/kubernetes/change/change-plane.ts'
import { planChange } from '../../../../src/drivers/kubernetes/change/plan-change.ts'
import { pausePlane } from '../../../../src/drivers/kubernetes/lifecycle/pause-plane.ts'
import { startPlane } from '../../../../src/drivers/kubernetes/lifecycle/start-plane.ts'
import { readKeys } from '../../../../src/drivers/kubernetes/objects/plane-keys.ts'
import type { PreflightRequest } from '../../../../src/drivers/kubernetes/context/context.ts'
import { refusal } from '../../../support/api/memory-host-api.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster } from '../fake-cluster.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const ENDPOINT = '/api/v1/namespaces/team-a/services/vplane-dev-api'
const SYNC = { serviceRange: '10.96.0.0/16', extraRights: true, metrics: true }
const SYNCED: UserSpec = { sync: SYNC }
const OFF: UserSpec = { sync: { ...SYNC, enabled: false } }
const WRITES = Array.from({ length: 9 }, (_, step) => step * 5)

// Here and not in a unit test: the objects of a syncer contain its program, which the build makes.
test('lists what it does before a plane begins to run pods', async () => {
  const { cluster, plan } = await nodelessPlane('10.96.7.12')
  const asked: PreflightRequest[] = []

  const { apiAddress, steps } = await plan(SYNCED, asked)

  const texts = steps.map(stepText)
  expect(texts[0]).toBe(
    'give the endpoint another address, because 10.96.7.12 cannot be the first of a range',
  )
  expect(texts).toEqual(
    expect.arrayContaining([
      'create syncer',
      'replace the pods of kube-apiserver',
      'replace the pods of kube-controller-manager',
      'create NetworkPolicy "vplane-dev-synced-pods"',
    ]),
  )
  expect(apiAddress).toBeUndefined()
  expect(asked).toMatchObject([{ createNamespace: false, shareNamespace: false }])
  expect(asked[0]?.manifests.map(({ kind }) => kind)).not.toContain('StatefulSet')
  expect(cluster.remains()).not.toContain('deployments/vplane-dev-syncer')
})

test('is refused with every problem of the host, before anything changes', async () => {
  const { cluster, context, stored } = await nodelessPlane()
  const problem = {
    subject: 'namespace',
    level: 'problem',
    message: 'it has other objects',
    hint: [{ namespace: 'vplane-dev' }, { shareNamespace: true }],
  } as const
  const now = await stored()
  const change = changedSpec({ ...now.record, driver: 'kubernetes' }, SYNCED)

  const error = await rejectionOf(
    planChange({ ...context, preflight: () => Promise.resolve([problem]) }, now, {
      change,
      signal: cluster.operation().signal,
    }),
  )

  expect(error.message).toContain('"dev" cannot run pods in namespace "team-a"')
  expect(error).toMatchObject({ hints: ['--share-namespace'] })
})

test('names what the host warns of', async () => {
  const { cluster, context, stored } = await nodelessPlane()
  const warning = { subject: 'room', level: 'warning', message: 'it may be too small' } as const
  const now = await stored()
  const change = changedSpec({ ...now.record, driver: 'kubernetes' }, SYNCED)
  const { signal } = cluster.operation()

  const warned = { ...context, preflight: () => Promise.resolve([warning]) }
  const { warnings } = await planChange(warned, now, { change, signal })

  expect(warnings).toEqual(['it may be too small'])
})

test('gives the endpoint the first address of a block, and the plane its range and keys', async () => {
  const { change, cluster, steps, stored } = await nodelessPlane('10.96.7.12')

  await change(SYNCED)

  const { record } = await stored()
  const [first] = record.serverAddresses ?? []
  expect(Number(first?.split('.')[3]) % 8).toBe(1)
  expect(record.serverAddresses).not.toContain('10.96.7.12')
  expect(record.spec.serviceRange).toMatch(/^10\.96\..*\/29$/)
  expect(record.spec.host?.sync).toMatchObject({ serviceRange: '10.96.0.0/16' })
  expect(steps).toEqual(['prepare'])
  const keys = Object.keys(await readKeys(cluster.api, PLACE, cluster.operation().signal))
  expect(keys).toEqual(expect.arrayContaining(['syncer.key', 'apiserver-kubelet-client.key']))
})

test('keeps an endpoint that has such an address', async () => {
  const { change, cluster, plan, stored } = await nodelessPlane('10.96.7.9')
  const { uid } = cluster.api.objects.get(ENDPOINT)?.metadata ?? {}

  const { apiAddress } = await plan(SYNCED)
  await change(SYNCED)

  expect(apiAddress).toBe('10.96.7.9')
  expect(cluster.api.objects.get(ENDPOINT)?.metadata.uid).toBe(uid)
  expect((await stored()).record.spec.serviceRange).toBe('10.96.7.8/29')
})

test('ceases to run pods: nothing of its syncer remains but claims', async () => {
  const { change, cluster, plan, steps, stored } = await nodelessPlane('10.96.7.9')
  const before = cluster.remains()
  await change(SYNCED)
  cluster.putSynced('dev', ['pods', 'web-x-default-x-dev'])
  cluster.putSynced('dev', ['services', 'web-x-default-x-dev'])
  cluster.putSynced('dev', ['persistentvolumeclaims', 'data-x-default-x-dev'])

  const planned = (await plan(OFF)).steps.map(stepText)
  await change(OFF)

  expect(planned).toContain('remove 2 objects that its syncer created')
  expect(planned).toContain('remove Deployment "vplane-dev-syncer"')
  expect(steps).toEqual(['prepare', 'leave', 'clear'])
  expect(cluster.remains()).toEqual(
    [...before, 'persistentvolumeclaims/data-x-default-x-dev'].toSorted(),
  )
  expect((await stored()).record.spec).toMatchObject({ serviceRange: '10.96.7.8/29' })
  expect((await plan(OFF)).steps).toEqual([])
})

test.for(WRITES)('continues at write %i what was interrupted', async (write) => {
  const { change, cut, plan, steps, stored } = await nodelessPlane('10.96.7.12')
  for (const wanted of [SYNCED, OFF]) {
    cut.in(write)
    await change(wanted).catch(() => {})
    cut.in(Infinity)

    await change(wanted)

    expect((await plan(wanted)).steps).toEqual([])
    expect((await stored()).record).not.toHaveProperty('previousSpec')
  }
  expect(steps).toEqual(expect.arrayContaining(['prepare', 'leave', 'clear']))
})

test('a start without the API of the plane leaves it unfinished, and one with it continues', async () => {
  const { change, cluster, context, cut, recorded, steps, stored } = await nodelessPlane()
  cut.in(8)
  await change(SYNCED).catch(() => {})
  cut.in(Infinity)

  await startPlane(context, await stored(), cluster.operation())
  const left = (await stored()).record
  await startPlane(context, await stored(), { ...cluster.operation(), steps: recorded })

  expect(left).toHaveProperty('previousSpec')
  expect((await stored()).record).not.toHaveProperty('previousSpec')
  expect(steps).toEqual(['prepare'])
})

test('is refused while the plane is paused', async () => {
  const { change, cluster, context, plan, stored } = await nodelessPlane()
  await pausePlane(context, await stored(), cluster.operation())

  for (const attempt of [plan, change]) {
    const error = await rejectionOf(attempt(SYNCED))
    expect(error.message).toBe('"dev" is paused: "sync" is switched only while it runs')
    expect(error).toMatchObject({ hints: ['vplane resume dev'] })
  }
})

/** A plane that runs no pods, with its endpoint at an address. */
async function nodelessPlane(address = '10.96.7.9') {
  let left = Infinity
  const cut = { in: (writes: number) => void (left = writes) }
  const cluster = new FakeCluster({
    onRequest: ({ path, verb }) => {
      const isWrite = !['get', 'list', 'watch', 'stream'].includes(verb)
      if (isWrite && !path.includes('/leases') && left-- <= 0) {
        throw refusal(500, 'the host is gone')
      }
    },
  })
  await cluster.create('dev')
  await cluster.changeRecord('dev', { serverAddresses: [address] })
  await cluster.api.patch(ENDPOINT, { spec: { clusterIP: address } }, { type: 'merge' })
  const context = cluster.driverContext()
  const steps: string[] = []
  const note = (step: string) => async () => void steps.push(step)
  const recorded: SyncSteps = {
    prepare: note('prepare'),
    leave: note('leave'),
    clear: note('clear'),
  }
  const stored = () => cluster.stored('dev')
  const changeTo = async (wanted: UserSpec) => {
    const now = await stored()
    return { now, change: changedSpec({ ...now.record, driver: 'kubernetes' }, wanted) }
  }
  return {
    cluster,
    context,
    cut,
    recorded,
    steps,
    stored,
    change: async (wanted: UserSpec) => {
      const { change, now } = await changeTo(wanted)
      const operation = { ...cluster.operation(), steps: recorded }
      return changePlane(context, now, { change, operation })
    },
    plan: async (wanted: UserSpec, asked: PreflightRequest[] = []) => {
      const { change, now } = await changeTo(wanted)
      const preflight = async (request: PreflightRequest) => {
        asked.push(request)
        return []
      }
      const { signal } = cluster.operation()
      return planChange({ ...context, preflight }, now, { change, signal })
    },
  }
}
