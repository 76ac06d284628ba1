import { expect, test } from 'vitest'
import { moveControlPlane } from '../../../src/control-plane/use-cases/move/move-control-plane.ts'
import { restoreControlPlane } from '../../../src/control-plane/use-cases/restore/restore-control-plane.ts'
import { createSnapshot } from '../../../src/control-plane/use-cases/snapshot/create-snapshot.ts'
import { pauseControlPlane } from '../../../src/control-plane/use-cases/stop/pause-control-plane.ts'
import { upgradeControlPlane } from '../../../src/control-plane/use-cases/upgrade/upgrade-control-plane.ts'
import {
  HOSTED,
  worldWithPlane,
  worldWithSnapshots,
} from '../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const NEVER = new AbortController().signal
const DEV = { name: 'dev', signal: NEVER }
const SQLITE = { store: { kine: { sqlite: {} } } }
const SHARED = {
  endpoints: ['https://etcd.example.com:2379'],
  root: { credentialsSecret: 'etcd-owner' },
}
const SHARED_ON_HOST = { ...HOSTED, spec: { store: { etcd: { shared: SHARED } } } }

test('takes no snapshot of a store that has none', async () => {
  const { world } = await worldWithSnapshots(SHARED_ON_HOST)

  expect(await rejectionOf(createSnapshot(world, DEV))).toMatchObject({
    code: 'UNSUPPORTED',
    message: '"dev" cannot have snapshots: its store is shared etcd',
  })
})

test('pauses a plane with sqlite without a snapshot', async () => {
  const { store, world } = await worldWithSnapshots({ ...HOSTED, spec: SQLITE })

  const { plane, snapshot } = await pauseControlPlane(world, DEV)

  expect(plane.desired).toBe('paused')
  expect(snapshot).toBeUndefined()
  expect(await store.snapshots.local.list(NEVER)).toEqual([])
})

test('does not restore one whose store cannot be, and leaves it as it was', async () => {
  const { driver, world } = await worldWithSnapshots(SHARED_ON_HOST)
  const options = { ...DEV, source: sourceOf('etcd'), force: true, isConfirmed: true }
  const calls = driver.calls.length

  expect(
    await rejectionOf(restoreControlPlane(world, { ...options, timeoutMs: 1000 })),
  ).toMatchObject({
    code: 'UNSUPPORTED',
    message: '"dev" cannot be restored: its store is shared etcd',
  })
  expect(driver.calls.slice(calls)).toEqual([])
})

test('does not move a plane with sqlite', async () => {
  const { driver, world } = await worldWithPlane({ spec: SQLITE })
  const chooseTarget = () => Promise.resolve({ driver })
  const options = { ...DEV, chooseTarget, keepSource: false, isConfirmed: true, timeoutMs: 1000 }

  expect(await rejectionOf(moveControlPlane(world, options))).toMatchObject({
    code: 'UNSUPPORTED',
    message: '"dev" cannot be moved: its store is sqlite',
  })
})

test.for([['on this machine', {}] as const, ['in a host cluster', HOSTED] as const])(
  'upgrades it with a snapshot %s',
  async ([, place]) => {
    const spec = { ...SQLITE, version: '1.35' }
    const { store, world } = await worldWithSnapshots({ ...place, spec })
    const options = { ...DEV, isConfirmed: true, timeoutMs: 2000 }

    const { steps } = await upgradeControlPlane(world, { version: '1.36' }, options)

    expect(steps).toContainEqual({ action: 'take-snapshot' })
    expect(await store.snapshots.local.list(NEVER)).toHaveLength(1)
  },
)

test('upgrades a plane whose store has no snapshots without one, and says so before it asks', async () => {
  const spec = { ...SHARED_ON_HOST.spec, version: '1.35' }
  const { store, world } = await worldWithSnapshots({ ...SHARED_ON_HOST, spec })
  const options = { ...DEV, isConfirmed: true, timeoutMs: 2000 }

  const { isChanged, steps } = await upgradeControlPlane(world, { version: '1.36' }, options)

  expect(isChanged).toBe(true)
  expect(steps).not.toContainEqual({ action: 'take-snapshot' })
  expect(world.ui.notes.join('\n')).toContain('No snapshot is taken: its store is shared etcd.')
  expect(await store.snapshots.local.list(NEVER)).toEqual([])
})

test.for([
  ['logical', 'etcd', {}, 'is logical, and can only be restored to etcd on this machine'],
  ['etcd', 'sqlite', SQLITE, 'is the database of etcd, and cannot be restored to another store'],
] as const)(
  'restores no %s snapshot to %s in a host cluster, and tells what to do instead',
  async ([format, , spec, why]) => {
    const { world } = await worldWithSnapshots({ ...HOSTED, spec })
    const options = { ...DEV, source: sourceOf(format), force: true, isConfirmed: true }

    expect(
      await rejectionOf(restoreControlPlane(world, { ...options, timeoutMs: 1000 })),
    ).toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining(`the snapshot dev ${why}`),
      hints: [expect.anything()],
    })
  },
)

test('does not restore an ephemeral plane with sqlite in a host cluster', async () => {
  const { world } = await worldWithSnapshots({ ...HOSTED, spec: { ...SQLITE, ephemeral: true } })
  const options = { ...DEV, source: sourceOf('logical'), force: true, isConfirmed: true }

  expect(
    await rejectionOf(restoreControlPlane(world, { ...options, timeoutMs: 1000 })),
  ).toMatchObject({ code: 'UNSUPPORTED', message: expect.stringContaining('it is ephemeral') })
})

function sourceOf(format: 'etcd' | 'logical') {
  return {
    what: 'the snapshot dev',
    from: '/dev',
    file: '/dev',
    format,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
