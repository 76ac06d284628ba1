import { Readable } from 'node:stream'
import { beforeEach, expect, test } from 'vitest'
import type { BackupStatus } from '../../../src/control-plane/status/backup-status.ts'
import type { PodVolume } from '../../../src/control-plane/driver/plane-pods.ts'
import type { PlaneData, SnapshotStore } from '../../../src/control-plane/driver/snapshot.ts'
import type { KeeperEvent } from '../../../src/keeper/duties/duty.ts'
import { PlaneBackups } from '../../../src/keeper/duties/plane-backups.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { etcdSnapshot, planeData } from '../../support/data/etcd-snapshot.ts'
import { logicalBytes } from '../../support/data/logical-keys.ts'
import { temporarySnapshots } from '../../support/cli/temporary-snapshots.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const NEVER = new AbortController().signal
const PLANE = {
  name: 'dev',
  id: 'id-of-dev',
  driver: 'local',
  backup: { schedule: 'hourly', keep: { hourly: 2, daily: 0, weekly: 0 } },
} as const

/** A plane, its store of backups, and a clock. */
class World {
  time = new Date('2026-01-01T12:00:00Z')
  data = etcdSnapshot('everything')
  board: BackupStatus = {}
  format: Pick<PlaneData, 'format'> = {}
  volumes: PodVolume[] = []
  encryptionKeys: string[] | undefined
  isBoardDown = false
  isStoreMissing = false
  isDeletionRefused = false
  isWritingRefused = false
  /** What was read of the plane. */
  readonly read: Array<ReturnType<typeof planeData>> = []
  readonly events: KeeperEvent[] = []
  readonly store: SnapshotStore

  constructor(store: SnapshotStore) {
    this.store = store
  }

  backups(id: string = PLANE.id): PlaneBackups {
    return new PlaneBackups(
      { ...PLANE, id },
      {
        readData: async () => {
          const data = { ...planeData(this.data, 7), ...this.format }
          this.read.push(data)
          return data
        },
        volumes: async () => this.volumes,
        encryptionKeys: async () => this.encryptionKeys,
        store: {
          ...this.store,
          delete: (id, signal) =>
            this.isDeletionRefused
              ? Promise.reject(new VplaneError('FAILED', 'access denied'))
              : this.store.delete(id, signal),
          put: (info, bytes, signal) =>
            this.isWritingRefused
              ? Promise.reject(new VplaneError('FAILED', 'access denied'))
              : this.store.put(info, bytes, signal),
          list: (signal) =>
            this.isStoreMissing
              ? Promise.reject(new VplaneError('FAILED', 'no such bucket'))
              : this.store.list(signal),
        },
        board: {
          read: async () => this.board,
          write: async (status) => {
            if (this.isBoardDown) {
              throw new VplaneError('UNREACHABLE', 'the host does not answer')
            }
            this.board = status
          },
        },
        report: (event) => this.events.push(event),
        now: () => this.time,
      },
    )
  }

  pass(minutes: number): void {
    this.time = new Date(this.time.getTime() + minutes * 60_000)
  }

  async times(): Promise<string[]> {
    const all = await this.store.list(NEVER)
    return all.map(({ createdAt }) => createdAt.toISOString().slice(11, 16))
  }
}

let world: World

beforeEach(async () => {
  const temporary = await temporarySnapshots()
  world = new World(temporary.snapshots.local)
  return temporary[Symbol.asyncDispose]
})

test('takes a backup at once, then by the schedule, and deletes superfluous ones', async () => {
  const backups = world.backups()

  const first = await backups.reconcile(NEVER)
  world.pass(30)
  await backups.reconcile(NEVER)
  const early = await world.times()
  for (let hour = 0; hour < 3; hour += 1) {
    world.pass(60)
    await backups.reconcile(NEVER)
  }

  expect(first.toISOString()).toBe('2026-01-01T13:00:00.000Z')
  expect(early).toEqual(['12:00'])
  expect(await world.times()).toEqual(['14:30', '15:30'])
  expect(world.board).toMatchObject({ last: { at: world.time }, nextAt: at('16:00') })
  expect(world.events).toHaveLength(4)
})

test('records the volumes that its backups do not hold', async () => {
  world.volumes = [{ name: 'default/data-db-0', uid: '1' }]

  await world.backups().reconcile(NEVER)

  expect(await world.store.list(NEVER)).toMatchObject([{ volumes: world.volumes }])
})

test('records by which keys the Secrets in its backups can be read', async () => {
  world.encryptionKeys = ['a hash']

  await world.backups().reconcile(NEVER)

  expect(await world.store.list(NEVER)).toMatchObject([{ encryptionKeys: ['a hash'] }])
})

test('records the format of backups that are not of etcd', async () => {
  world.format = { format: 'logical' }
  world.data = await logicalBytes([])

  await world.backups().reconcile(NEVER)

  expect(await world.store.list(NEVER)).toMatchObject([{ format: 'logical' }])
})

test('continues after an interrupted keeper, whatever its board holds', async () => {
  await world.backups().reconcile(NEVER)
  world.board = {}
  world.pass(30)

  const nextAt = await world.backups().reconcile(NEVER)

  expect(nextAt).toEqual(at('13:00'))
  expect(await world.times()).toEqual(['12:00'])
  expect(world.board).toMatchObject({ last: { at: at('12:00'), revision: 7 } })
})

test('reports a failure, retries less and less often, and forgets it after a success', async () => {
  const backups = world.backups()
  await backups.reconcile(NEVER)
  const { data } = world
  world.data = Buffer.from('truncated')
  world.pass(60)

  const soon = await backups.reconcile(NEVER)
  world.pass(1)
  const later = await backups.reconcile(NEVER)
  const { failure, last } = world.board
  world.data = data
  world.pass(2)
  await backups.reconcile(NEVER)

  expect([soon, later]).toEqual([at('13:01'), at('13:03')])
  expect(last?.at).toEqual(at('12:00'))
  const reason = expect.stringContaining('not a complete snapshot')
  expect(failure).toMatchObject({ count: 2, reason })
  const reasons = ['BackedUp', 'BackupFailed', 'BackupFailed', 'BackedUp']
  expect(world.events.map(({ reason }) => reason)).toEqual(reasons)
  expect(world.board.failure).toBeUndefined()
  expect(await world.times()).toEqual(['12:00', '13:03'])
})

test.for([false, true])('gives back the data of a backup (refused: %s)', async (isRefused) => {
  world.isWritingRefused = isRefused

  await world.backups().reconcile(NEVER)

  expect(world.board.failure?.reason).toBe(isRefused ? 'access denied' : undefined)
  expect(world.read.map(({ bytes }) => bytes.destroyed)).toEqual([true])
})

test('takes no extra backup when old ones cannot be deleted, and retries the deletion', async () => {
  const backups = world.backups()
  for (let hour = 0; hour < 2; hour += 1) {
    await backups.reconcile(NEVER)
    world.pass(60)
  }
  world.isDeletionRefused = true

  const soon = await backups.reconcile(NEVER)
  for (let minute = 0; minute < 59; minute += 1) {
    world.pass(1)
    await backups.reconcile(NEVER)
  }
  const during = await world.times()
  const { failure, last, nextAt } = world.board
  world.pass(1)
  await backups.reconcile(NEVER)
  const later = await world.times()
  world.isDeletionRefused = false
  world.pass(60)
  await backups.reconcile(NEVER)

  expect(soon).toEqual(at('14:01'))
  expect(during).toEqual(['12:00', '13:00', '14:00'])
  expect(failure?.reason).toBe('old backups cannot be deleted: access denied')
  expect(last?.at).toEqual(at('14:00'))
  expect(nextAt).toEqual(at('15:00'))
  expect(later).toEqual(['12:00', '13:00', '14:00', '15:00'])
  expect(await world.times()).toEqual(['15:00', '16:00'])
  expect(world.board.failure).toBeUndefined()
})

test('retries at once after a restart', async () => {
  const { data } = world
  world.data = Buffer.from('truncated')
  await world.backups().reconcile(NEVER)
  world.data = data

  await world.backups().reconcile(NEVER)

  expect(await world.times()).toEqual(['12:00'])
  expect(world.board.failure).toBeUndefined()
})

test('reports at once that the store cannot be read, and takes a backup when it can', async () => {
  const backups = world.backups()
  await backups.reconcile(NEVER)
  world.isStoreMissing = true

  const started = world.backups()
  const nextAt = await started.reconcile(NEVER)
  const { failure, last } = world.board
  world.isStoreMissing = false
  world.pass(1)
  await started.reconcile(NEVER)

  expect(nextAt).toEqual(at('12:01'))
  expect(failure).toMatchObject({ count: 1, reason: 'no such bucket' })
  expect(last?.at).toEqual(at('12:00'))
  expect(world.board).toMatchObject({ last: { at: at('12:01') } })
  expect(world.board.failure).toBeUndefined()
})

test('takes a backup at once in a store without any, whatever the board holds', async () => {
  world.board = { last: { id: 'x', at: world.time, revision: 1, sizeBytes: 1 } }

  await world.backups().reconcile(NEVER)

  expect(await world.times()).toEqual(['12:00'])
})

test('touches neither manual snapshots nor backups of another plane of its name', async () => {
  const figures = { revision: 1, sizeBytes: 1, createdAt: at('11:59') }
  const manual = { plane: 'dev', driver: 'local', kind: 'snapshot', ...figures } as const
  for (const info of [manual, { ...manual, backupOf: 'id-of-another' }]) {
    await world.store.put(info, Readable.from([Buffer.of(1)]), NEVER)
  }
  const backups = world.backups()

  for (let hour = 0; hour < 4; hour += 1) {
    await backups.reconcile(NEVER)
    world.pass(60)
  }

  expect(await world.times()).toEqual(['11:59', '11:59', '14:00', '15:00'])
})

test('takes no second backup when publishing fails, and publishes later', async () => {
  const backups = world.backups()
  world.isBoardDown = true

  const failure = await rejectionOf(backups.reconcile(NEVER))
  world.isBoardDown = false
  world.pass(1)
  await backups.reconcile(NEVER)

  expect(failure.code).toBe('UNREACHABLE')
  expect(await world.times()).toEqual(['12:00'])
  expect(world.board.last?.at).toEqual(at('12:00'))
})

function at(time: string): Date {
  return new Date(`2026-01-01T${time}:00.000Z`)
}
