import { expect, test } from 'vitest'
import type { SnapshotInfo, Snapshots } from '../../src/control-plane/driver/snapshot.ts'
import type { KeeperEvent } from '../../src/keeper/duties/duty.ts'
import { announced, planeSnapshots } from '../../src/operator/duties/plane-snapshots.ts'
import type { Environment } from '../../src/shared/environment.ts'
import { temporarySnapshots } from '../support/cli/temporary-snapshots.ts'

const { signal } = new AbortController()
const INFO: SnapshotInfo = {
  plane: 'dev',
  driver: 'kubernetes',
  kind: 'snapshot',
  createdAt: new Date('2026-06-01T12:00:00Z'),
  revision: 7,
  sizeBytes: 4,
}

test('a store of backups gets the snapshots, with the credentials of its Secret', async () => {
  await using store = await temporarySnapshots()
  const environments: Environment[] = []
  const key = Buffer.from('hush').toString('base64')
  const deps = {
    environment: { PATH: '/bin' },
    host: { get: (path: string) => Promise.resolve(secretAt(path, { AWS_ACCESS_KEY_ID: key })) },
    snapshotsFor: (environment: Environment): Snapshots => {
      environments.push(environment)
      return {
        ...store.snapshots,
        storeOf: (url) => ({ ...store.snapshots.local, has: isAt(url) }),
      }
    },
  }
  const place = { namespace: 'team-a', backup: { store: 's3://bucket/dev', secret: 's3' } }

  const { local } = await planeSnapshots(deps, place, signal)
  const without = await planeSnapshots(deps, { ...place, backup: undefined }, signal)

  expect(await local.has('s3://bucket/dev', signal)).toBe(true)
  expect(without.local).toBe(store.snapshots.local)
  expect(environments).toEqual([{ PATH: '/bin', AWS_ACCESS_KEY_ID: 'hush' }, { PATH: '/bin' }])
})

test('an Event says where a snapshot is, and warns of one in the pod of the operator', async () => {
  await using store = await temporarySnapshots()
  const events: KeeperEvent[] = []
  const put = (backup: { store?: string }) =>
    announced(store.snapshots, backup, (event) => events.push(event)).local.put(
      INFO,
      bytes(),
      signal,
    )

  const { location } = await put({})
  await put({ store: 's3://bucket/dev' })

  expect(events).toMatchObject([
    { level: 'warning', reason: 'SnapshotInPod' },
    { level: 'normal', reason: 'SnapshotTaken' },
  ])
  expect(events[0]?.message).toContain(location)
})

function secretAt(path: string, data: Record<string, string>) {
  return path === '/api/v1/namespaces/team-a/secrets/s3'
    ? { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's3' }, data }
    : undefined
}

function isAt(url: string) {
  return (which: string) => Promise.resolve(which === url)
}

async function* bytes() {
  yield Buffer.from('data')
}
