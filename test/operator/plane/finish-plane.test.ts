import { expect, test, vi } from 'vitest'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import type { KeeperEvent } from '../../../src/keeper/duties/duty.ts'
import { finishPlane } from '../../../src/operator/plane/finish-plane.ts'
import { failureOf } from '../../../src/operator/resource/failure-of.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { temporarySnapshots } from '../../support/cli/temporary-snapshots.ts'
import { FakeComposition } from '../../support/driver/fake-composition.ts'
import { RecordingUi } from '../../support/driver/recording-ui.ts'
import { HOSTED } from '../../support/driver/world-with-plane.ts'

const { signal } = new AbortController()
const DATABASE: UserSpec = {
  store: { kine: { postgres: { host: 'db.example.com', credentialsSecret: 'owner' } } },
}

interface Deleted {
  spec: UserSpec & { deletionPolicy?: string }
  /** @default false */
  isNamespaceEnding?: boolean
}

/** The plane of a ControlPlane that is being deleted. */
async function deleted({ isNamespaceEnding = false, spec }: Deleted) {
  const { deletionPolicy: _, ...userSpec } = spec
  const world = new FakeComposition(HOSTED)
  const { driver } = world
  const request = { name: 'dev', userSpec, spec: resolveSpec(userSpec, 'kubernetes') }
  const operation = { ui: new RecordingUi(), signal }
  await driver.create({ ...request, declaredBy: 'uid-1', wait: true }, operation)
  driver.calls.length = 0
  const store = await temporarySnapshots()
  const events: KeeperEvent[] = []
  const patches: unknown[] = []
  const deletionTimestamp = isNamespaceEnding ? '2026-01-01T00:00:00Z' : undefined
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { deletionTimestamp } }
  const resource = {
    apiVersion: 'vplane.dev/v1beta1',
    kind: 'ControlPlane',
    metadata: {
      name: 'dev',
      namespace: 'default',
      uid: 'uid-1',
      finalizers: ['vplane.dev/control-plane'],
    },
    spec,
  }
  const { accesses, contexts, drivers, now, openApi, tunnels } = world
  const finish = () =>
    finishPlane(
      {
        accesses,
        contexts,
        driver,
        drivers,
        now,
        openApi,
        tunnels,
        timeoutMs: 1000,
        host: {
          get: () => Promise.resolve(namespace),
          patch: (_path, patch) => {
            patches.push(patch)
            return Promise.resolve(resource)
          },
        },
        snapshotsOf: () => Promise.resolve(store.snapshots),
        report: (event) => events.push(event),
        reportOn: () => (event) => events.push(event),
      },
      { resource, selector: { name: 'dev', namespace: 'default', driver: 'kubernetes' } },
      signal,
    )
  return {
    driver,
    events,
    finish,
    isFinished: () => patches.length > 0,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

const WITHOUT = { ...DATABASE, deletionPolicy: 'LeaveData' }

test.for([
  ['deletes a plane with its database', { spec: DATABASE }, 'remove dev'],
  ['leaves a database that is to be left', { spec: WITHOUT }, 'remove dev leaving its data'],
  ['deletes all of a plane with etcd', { spec: {} }, 'remove dev'],
  [
    'leaves the database in a namespace that is being deleted',
    { spec: DATABASE, isNamespaceEnding: true },
    'remove dev leaving its data',
  ],
] as const)('%s', async ([, given, call]) => {
  await using plane = await deleted(given)

  await plane.finish()

  expect(plane.driver.calls).toEqual([call])
  expect(plane.isFinished()).toBe(true)
})

const STUCK = { what: 'Service "vplane-dev-api"', why: 'it has the finalizer "cloud"' }

test('keeps a ControlPlane until nothing of its plane is left', async () => {
  await using plane = await deleted({ spec: {} })
  plane.driver.leftovers = [STUCK, { what: 'volume "a"', why: 'it is retained', isKept: true }]

  const failure: unknown = await plane.finish().catch((error: unknown) => error)

  expect(plane.isFinished()).toBe(false)
  const { message, reason } = failureOf(failure)
  expect(reason).toBe('NeedsAttention')
  expect(message).toContain('  Service "vplane-dev-api": it has the finalizer "cloud"')
  expect(message).not.toContain('volume')
})

test('keeps a ControlPlane whose plane cannot be read, unless it retains that', async () => {
  await using unreadable = await deleted({ spec: {} })
  await using retained = await deleted({ spec: { deletionPolicy: 'Retain' } })
  for (const { driver } of [unreadable, retained]) {
    const inside = driver.inside({ name: 'dev', namespace: 'default' })
    inside.stored = {
      name: 'dev',
      driver: 'kubernetes',
      namespace: 'default',
      reason: 'it is newer',
    }
  }

  const failure: unknown = await unreadable.finish().catch((error: unknown) => error)
  await retained.finish()

  expect(failureOf(failure).message).toContain('"dev" cannot be read: it is newer')
  expect(failureOf(failure).message).toContain('deletionPolicy: Retain')
  expect(unreadable.isFinished()).toBe(false)
  expect(unreadable.driver.calls).toEqual([])
  expect(retained.isFinished()).toBe(true)
})

test('deletes no data of a plane whose data was to be left', async () => {
  await using plane = await deleted({ spec: { deletionPolicy: 'LeaveData' } })

  await expect(plane.finish()).rejects.toMatchObject({ code: 'INVALID_SPEC' })

  expect(plane.driver.calls).toEqual([])
  expect(plane.isFinished()).toBe(false)
})

test('takes no second snapshot of a plane that is half deleted', async () => {
  await using plane = await deleted({ spec: { deletionPolicy: 'Snapshot' } })
  const inside = plane.driver.inside({ name: 'dev', namespace: 'default' })
  inside.stored = { ...inside.stored, unfinished: ['deletion'] }

  await plane.finish()

  expect(plane.driver.calls).toEqual(['remove dev'])
  expect(plane.isFinished()).toBe(true)
})

test.for([
  ['is to be left', WITHOUT],
  ['is of another', DATABASE],
] as const)('tells which database stays that %s', async ([, spec]) => {
  await using left = await deleted({ spec })
  left.driver.leftovers = [{ what: 'the database "a"', why: 'its data is left', isKept: true }]

  await left.finish()

  expect(left.events).toEqual([
    {
      level: 'normal',
      reason: 'DatabaseLeft',
      message: '"dev" was deleted, and left the database "a"',
    },
  ])
})

test('tells which database stays when the namespace is deleted', async () => {
  await using ended = await deleted({ spec: DATABASE, isNamespaceEnding: true })

  await ended.finish()

  expect(ended.events).toMatchObject([
    {
      level: 'warning',
      reason: 'DatabaseLeft',
      message: expect.stringContaining('db.example.com'),
    },
  ])
})

test('keeps a ControlPlane whose database cannot be deleted, and says what to do', async () => {
  await using plane = await deleted({ spec: DATABASE })
  const refusal = new VplaneError('UNREACHABLE', '"dev" was not deleted: cannot connect')
  vi.spyOn(plane.driver, 'remove').mockRejectedValue(refusal)

  const failure: unknown = await plane.finish().catch((error: unknown) => error)

  expect(plane.isFinished()).toBe(false)
  expect(failureOf(failure)).toEqual({
    reason: 'Unreachable',
    message:
      '"dev" was not deleted: cannot connect (or set "deletionPolicy: LeaveData" in the ControlPlane)',
  })
})
