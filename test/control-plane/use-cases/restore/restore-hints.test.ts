import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { hintTexts } from '../../../../src/cli/catalog/hint-text.ts'
import type { Plane } from '../../../../src/control-plane/plane/plane.ts'
import type { SnapshotInfo, SnapshotStore } from '../../../../src/control-plane/driver/snapshot.ts'
import { restoreHints } from '../../../../src/control-plane/use-cases/restore/restore-hints.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { temporarySnapshots } from '../../../support/cli/temporary-snapshots.ts'

const STORE = 's3://backups/planes'
const { signal } = new AbortController()

test('names the newest of the snapshots here and the backups of the plane', async () => {
  const { backups, kept, put, ways } = await planeWith({ store: `${STORE}/` })
  await put(kept, { hours: -30 })
  await put(backups, { hours: -5, backupOf: 'its id' })
  const own = await put(backups, { hours: -2, backupOf: 'its id' })
  await put(backups, { hours: -1, backupOf: 'the id of another plane of this name' })

  expect(await ways()).toEqual([
    `restore its state of 120m ago: vplane restore dev --force --from ${STORE}/${own}`,
  ])
})

test('names a snapshot here when it is newer', async () => {
  const { backups, kept, put, ways } = await planeWith({ store: STORE })
  const own = await put(kept, { hours: -3 })
  await put(backups, { hours: -4, backupOf: 'its id' })

  expect(await ways()).toEqual([
    `restore its state of 3h ago: vplane restore dev --force --from ${own}`,
  ])
})

test('reports where backups are that it cannot list, and how to list them', async () => {
  const { kept, put, ways } = await planeWith({
    store: STORE,
    listBackups: () => Promise.reject(new VplaneError('FAILED', 'S3 refuses this')),
  })
  const own = await put(kept, { hours: -3 })

  expect(await ways()).toEqual([
    `restore its state of 3h ago: vplane restore dev --force --from ${own}`,
    `backups in ${STORE} cannot be listed (S3 refuses this): vplane snapshot list --store ${STORE}`,
  ])
})

test('reports that there is none, and where it has searched', async () => {
  const without = await planeWith({})
  const withStore = await planeWith({ store: STORE })

  expect((await without.ways())[0]).toContain('though there is no snapshot of it on this machine:')
  expect((await withStore.ways())[0]).toContain(`on this machine or in ${STORE}:`)
})

/** A plane with backups, and stores in which snapshots can be put. */
async function planeWith({
  listBackups,
  store,
}: {
  store?: string
  listBackups?: SnapshotStore['list']
}) {
  const folders = await Promise.all([temporarySnapshots(), temporarySnapshots()])
  onTestFinished(async () => {
    await Promise.all(folders.map((folder) => folder[Symbol.asyncDispose]()))
  })
  const [kept, backups] = folders.map(({ snapshots }) => snapshots.local)
  expect.assert(kept !== undefined && backups !== undefined)
  const composition = new FakeComposition()
  const made = await composition.plane('dev')
  const backup = { schedule: 'hourly', keep: { hourly: 1, daily: 1, weekly: 1 } }
  const plane: Plane = {
    ...made,
    id: 'its id',
    spec: { ...made.spec, ...(store === undefined ? {} : { backup: { ...backup, store } }) },
  }
  const snapshots = {
    ...folders[0].snapshots,
    kept,
    storeOf: () => backups,
  }
  if (listBackups !== undefined) {
    backups.list = listBackups
  }
  const { now } = composition
  return {
    backups,
    kept,
    ways: async () =>
      hintTexts(
        await restoreHints({ now, openSnapshots: () => Promise.resolve(snapshots) }, plane, signal),
      ),
    put: async (
      place: SnapshotStore,
      { hours, ...more }: Partial<SnapshotInfo> & { hours: number },
    ) => {
      const createdAt = new Date(now().getTime() + hours * 3_600_000)
      const of = { plane: 'dev', driver: 'local', kind: 'snapshot', createdAt } as const
      const info = { ...of, ...more, revision: 1, sizeBytes: 4 }
      return (await place.put(info, Readable.from([Buffer.from('data')]), signal)).id
    },
  }
}
