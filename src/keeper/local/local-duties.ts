import type { Driver } from '../../control-plane/driver/driver.ts'
import type { Snapshots } from '../../control-plane/driver/snapshot.ts'
import { deletedMeanwhile } from '../../control-plane/plane/deleted-meanwhile.ts'
import { KEEPER, type Plane } from '../../control-plane/plane/plane.ts'
import { isReadable } from '../../control-plane/plane/unreadable-plane.ts'
import { formatAlarms } from '../../control-plane/status/alarms-record.ts'
import { formatBackupStatus } from '../../control-plane/status/backup-record.ts'
import { formatIdleStatus } from '../../control-plane/status/idle-record.ts'
import {
  measurePlane,
  type MeasureDependencies,
} from '../../control-plane/use-cases/observe/measure-plane.ts'
import { readAlarms, readBackups, readIdle } from '../../drivers/local/status/keeper-status.ts'
import { PlaneStore } from '../../drivers/local/store/plane-store.ts'
import { LEAF_LIFETIME_MS } from '../../pki/issue/lifetimes.ts'
import { writeFile } from '../../shared/files/write-file.ts'
import { parseDuration } from '../../shared/text/duration.ts'
import { silentUi } from '../../shared/ui.ts'
import type { Duty, KeeperEvent } from '../duties/duty.ts'
import type { KeeperPlane } from '../duties/keep-planes.ts'
import { PauseWhenIdle } from '../duties/pause-when-idle.ts'
import { type BackedUpPlane, PlaneBackups } from '../duties/plane-backups.ts'
import { PlaneWatch } from '../duties/plane-watch.ts'
import { readUse } from '../duties/read-use.ts'

export interface LocalWorld extends MeasureDependencies {
  /** The driver of local planes. */
  driver: Driver
  snapshots: Pick<Snapshots, 'kept' | 'storeOf'>
  /** The folder of all local planes. */
  root: string
  log: (line: string) => void
}

/** What the keeper does for a plane of this machine. */
export function localDuties(
  { spec: { backup, idle }, ...plane }: KeeperPlane,
  world: LocalWorld,
): Duty[] {
  const context = contextOf(plane, world)
  return [
    watchOf(context),
    ...(backup === undefined ? [] : [backupsOf({ ...plane, backup }, context)]),
    ...(idle === undefined ? [] : [idleOf(idle, context)]),
  ]
}

type Context = ReturnType<typeof contextOf>

function contextOf(
  { id, name }: Pick<Plane, 'id' | 'name'>,
  { driver, log, root, ...world }: LocalWorld,
) {
  const store = new PlaneStore(root)
  return {
    ...world,
    driver,
    name,
    folder: store.folder(name),
    /** Whether somebody works on the plane. */
    isHeld: () => store.isHeld(name),
    /** The plane as it is stored now. */
    find: async () => {
      const [plane] = await driver.find(name)
      if (plane === undefined || !isReadable(plane) || plane.id !== id) {
        throw deletedMeanwhile(name)
      }
      return plane
    },
    /** There are no Events of a plane of this machine: its keeper's log says what happened. */
    report: ({ message, reason }: KeeperEvent) => log(`${name}: ${reason}: ${message}`),
    now: () => new Date(),
  }
}

/** Watches the plane. A look at it renews certificates in their last 90 days, too. */
function watchOf(context: Context): Duty {
  const { driver, find, folder, isHeld, name, now, openApi, report } = context
  return new PlaneWatch(name, {
    measure: async (signal) => {
      const plane = await find()
      const figures = await measurePlane(
        { openApi },
        { driver, plane, signal, onFailure: () => {} },
      )
      // Whoever stops it has said so before: what was measured meanwhile is no failure.
      const { desired, isHalfRestored = false } = await find()
      return desired === 'running' && !isHalfRestored ? figures : undefined
    },
    isChanging: isHeld,
    board: {
      read: async () => readAlarms(folder),
      write: (alarms) => writeFile(folder.alarms, formatAlarms(alarms)),
    },
    report,
    now,
  })
}

function backupsOf(plane: BackedUpPlane, context: Context): Duty {
  const { driver, find, folder, now, report, snapshots } = context
  const { store } = plane.backup
  return new PlaneBackups(plane, {
    volumes: async () => driver.pods.volumes(await find()),
    readData: async (signal) => driver.snapshot(await find(), signal),
    store: store === undefined ? snapshots.kept : snapshots.storeOf(store),
    board: {
      read: async () => readBackups(folder),
      write: (status) => writeFile(folder.backups, formatBackupStatus(status)),
    },
    report,
    now,
  })
}

/** Pauses the plane when nobody has used it for so long. */
function idleOf(idle: string, context: Context): Duty {
  const { driver, find, folder, name, now, report } = context
  return new PauseWhenIdle(
    { name, idleMs: parseDuration(idle) },
    {
      readUse: async (signal) => {
        const plane = await find()
        // Whoever has told it otherwise since is heard, though this had begun to pause it.
        if (plane.desired === 'paused' || plane.spec.idle !== idle) {
          return undefined
        }
        // As long as those of components, by which it is told from that of a user.
        const credential = await driver.issueCredential(plane, KEEPER, LEAF_LIFETIME_MS)
        return readUse([{ ...(await driver.endpoint(plane)), ...credential }], signal)
      },
      board: {
        read: async () => readIdle(folder),
        write: (status) => writeFile(folder.idle, formatIdleStatus(status)),
      },
      pause: async (because) => {
        // Whoever stops the keeper meanwhile waits for it, as the plane would be left half paused.
        const { signal } = new AbortController()
        await driver.pause(await find(), { ui: silentUi, signal }, { idle: because })
      },
      report,
      now,
    },
  )
}
