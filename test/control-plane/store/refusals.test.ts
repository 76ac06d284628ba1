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
const SHARED = { endpoints: ['https://etcd.example.com:2379'], caFile: '/ca.crt' }

test('takes no snapshot of a store that has none', async () => {
  const { world } = await worldWithSnapshots({ spec: { store: { etcd: { shared: SHARED } } } })

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

test('does not restore it, and leaves it as it was', async () => {
  const { driver, world } = await worldWithSnapshots({ ...HOSTED, spec: SQLITE })
  const source = {
    what: 'the snapshot dev.db',
    from: '/dev.db',
    file: '/dev.db',
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
  const options = { ...DEV, source, force: true, isConfirmed: true, timeoutMs: 1000 }
  const calls = driver.calls.length

  expect(await rejectionOf(restoreControlPlane(world, options))).toMatchObject({
    code: 'UNSUPPORTED',
    message: '"dev" cannot be restored: its store is sqlite',
  })
  expect(driver.calls.slice(calls)).toEqual([])
})

test('does not move it', async () => {
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
  const spec = { store: { etcd: { shared: SHARED } }, version: '1.35' }
  const { store, world } = await worldWithSnapshots({ spec })
  const options = { ...DEV, isConfirmed: true, timeoutMs: 2000 }

  const { isChanged, steps } = await upgradeControlPlane(world, { version: '1.36' }, options)

  expect(isChanged).toBe(true)
  expect(steps).not.toContainEqual({ action: 'take-snapshot' })
  expect(world.ui.notes.join('\n')).toContain('No snapshot is taken: its store is shared etcd.')
  expect(await store.snapshots.local.list(NEVER)).toEqual([])
})

test('restores no logical snapshot to etcd in a host cluster', async () => {
  const { world } = await worldWithSnapshots(HOSTED)
  const source = {
    what: 'the snapshot dev',
    from: '/dev',
    file: '/dev',
    format: 'logical',
    [Symbol.asyncDispose]: () => Promise.resolve(),
  } as const
  const restored = { ...DEV, source, force: true, isConfirmed: true, timeoutMs: 1000 }

  expect(await rejectionOf(restoreControlPlane(world, restored))).toMatchObject({
    code: 'UNSUPPORTED',
    hints: [expect.anything()],
  })
})
