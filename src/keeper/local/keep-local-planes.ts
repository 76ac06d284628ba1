import type { Driver } from '../../control-plane/driver/driver.ts'
import type { Snapshots } from '../../control-plane/driver/snapshot.ts'
import { deletedMeanwhile } from '../../control-plane/plane/deleted-meanwhile.ts'
import { KEEPER, type Plane } from '../../control-plane/plane/plane.ts'
import { isReadable } from '../../control-plane/plane/unreadable-plane.ts'
import { needsKeeper } from '../../control-plane/spec/needs-keeper.ts'
import {
  formatKeeperRecord,
  parseAlarms,
  parseBackupStatus,
  parseIdleStatus,
} from '../../control-plane/status/keeper-records.ts'
import type { PlaneAlarm } from '../../control-plane/status/plane-alarms.ts'
import {
  measurePlane,
  type MeasureDependencies,
} from '../../control-plane/use-cases/observe/measure-plane.ts'
import { readStatusFile } from '../../drivers/local/status/keeper-status.ts'
import { PlaneStore } from '../../drivers/local/store/plane-store.ts'
import { LEAF_LIFETIME_MS } from '../../pki/issue/lifetimes.ts'
import { tryFileLock } from '../../shared/files/file-lock.ts'
import { writeFile } from '../../shared/files/write-file.ts'
import { parseDuration } from '../../shared/text/duration.ts'
import { silentUi } from '../../shared/ui.ts'
import type { Duty, KeeperEvent } from '../duties/duty.ts'
import { keepPlanes, type KeeperPlane } from '../duties/keep-planes.ts'
import { PauseWhenIdle } from '../duties/pause-when-idle.ts'
import { type BackedUpPlane, PlaneBackups } from '../duties/plane-backups.ts'
import { readUse } from '../duties/plane-use.ts'
import { PlaneWatch } from '../duties/plane-watch.ts'
import type { Board } from '../duties/status-board.ts'

interface LocalWorld extends MeasureDependencies {
  driver: Driver
  snapshots: Pick<Snapshots, 'local' | 'storeOf'>
  root: string
  log: (line: string) => void
}

export interface KeepLocalOptions extends LocalWorld {
  /** The file that the only keeper of these planes holds locked. */
  lock: string
  signal: AbortSignal
}

/**
 * Does the duties of the local planes while one of them needs a keeper. Returns at once when another keeper runs. It
 * lists planes again at its end: one may have been created while this keeper still held the lock.
 */
export async function keepLocalPlanes({ lock, signal, ...world }: KeepLocalOptions): Promise<void> {
  const { driver, log } = world
  const list = () => keeperPlanes(driver)
  do {
    await using held = tryFileLock(lock)
    if (held === undefined) {
      return
    }
    await keepPlanes({
      list,
      dutiesOf: (plane) => localDuties(plane, world),
      now: () => new Date(),
      log,
      signal,
    })
  } while (!signal.aborted && (await list()).length > 0)
}

async function keeperPlanes(driver: Driver): Promise<KeeperPlane[]> {
  const planes = (await driver.list()).filter(isReadable)
  const found = await Promise.all(
    planes.map(async (plane) => {
      const { desired, id, idleSince, name, restoring, spec } = plane
      const isAwake = desired === 'running' || idleSince !== undefined
      if (!needsKeeper(spec) || !isAwake || restoring !== undefined) {
        return []
      }
      // A plane that lost some of its components gets an alarm. One that a reboot stopped needs no keeper.
      const components = ['etcd', 'kube-controller-manager'] as const
      const running = await Promise.all(components.map((one) => driver.isRunning(plane, [one])))
      return running.includes(true) ? [{ name, id, driver: driver.name, spec }] : []
    }),
  )
  return found.flat()
}

function localDuties({ spec: { backup, idle }, ...plane }: KeeperPlane, world: LocalWorld): Duty[] {
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
    isHeld: () => store.isHeld(name),
    find: async () => {
      const [plane] = await driver.find(name)
      if (plane === undefined || !isReadable(plane) || plane.id !== id) {
        throw deletedMeanwhile(name)
      }
      return plane
    },
    /** Logs the event: local planes have no Events. */
    report: ({ message, reason }: KeeperEvent) => log(`${name}: ${reason}: ${message}`),
    now: () => new Date(),
  }
}

/** Measuring a plane also renews certificates in their last 90 days. */
function watchOf({ driver, find, folder, isHeld, name, now, openApi, report }: Context): Duty {
  return new PlaneWatch(name, {
    measure: async (signal) => {
      const plane = await find()
      const figures = await measurePlane(
        { openApi },
        { driver, plane, signal, onFailure: () => {} },
      )
      // Read again: a plane that was paused meanwhile has not failed.
      const { desired, restoring } = await find()
      return desired === 'running' && restoring === undefined ? figures : undefined
    },
    isChanging: isHeld,
    board: fileBoard<readonly PlaneAlarm[]>(folder.alarms, parseAlarms, (alarms) =>
      formatKeeperRecord({ alarms }),
    ),
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
    store: store === undefined ? snapshots.local : snapshots.storeOf(store),
    board: fileBoard(folder.backups, parseBackupStatus, formatKeeperRecord),
    report,
    now,
  })
}

function idleOf(idle: string, { driver, find, folder, name, now, report }: Context): Duty {
  return new PauseWhenIdle(
    { name, idleMs: parseDuration(idle) },
    {
      readUse: async (signal) => {
        const plane = await find()
        // A later change of the plane wins, even when a pause has begun.
        if (plane.desired === 'paused' || plane.spec.idle !== idle) {
          return undefined
        }
        // The lifetime of components' credentials distinguishes the keeper from users.
        const credential = await driver.issueCredential(plane, KEEPER, LEAF_LIFETIME_MS)
        return readUse([{ ...(await driver.endpoint(plane)), ...credential }], signal)
      },
      board: fileBoard(folder.idle, parseIdleStatus, formatKeeperRecord),
      pause: async (because) => {
        // The keeper's signal must not interrupt it: the plane would stay half paused.
        const { signal } = new AbortController()
        await driver.pause(await find(), { ui: silentUi, signal }, { idle: because })
      },
      report,
      now,
    },
  )
}

function fileBoard<T>(
  path: string,
  parse: (text: string, source: string) => T,
  format: (status: T) => string,
): Board<T> {
  return {
    read: async () => readStatusFile(path, parse),
    write: (status) => writeFile(path, format(status)),
  }
}
