import { findAgain } from '../../control-plane/use-cases/find/find-again.ts'
import type { Driver } from '../../control-plane/driver/driver.ts'
import type { Snapshots } from '../../control-plane/driver/snapshot.ts'
import { isWokenByAny } from '../../control-plane/plane/is-woken-by-any.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import { isReadable } from '../../control-plane/plane/unreadable-plane.ts'
import { needsKeeper } from '../../control-plane/spec/needs-keeper.ts'
import {
  formatKeeperRecord,
  parseAlarms,
  parseBackupStatus,
  parseIdleStatus,
} from '../../control-plane/status/keeper-records.ts'
import type { PlaneAlarm } from '../../control-plane/status/plane-alarms.ts'
import type { MeasureDependencies } from '../../control-plane/use-cases/observe/measure-plane.ts'
import { readStatusFile } from '../../drivers/local/status/keeper-status.ts'
import { PlaneStore } from '../../drivers/local/store/plane-store.ts'
import { tryFileLock } from '../../shared/files/file-lock.ts'
import { writeFile } from '../../shared/files/write-file.ts'
import { StandIns } from './stand-ins.ts'
import { driverDuties, type DriverWorld } from '../duties/driver-duties.ts'
import { keepPlanes, type KeeperPlane } from '../duties/keep-planes.ts'
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
  await using standIns = new StandIns({ ...world, signal })
  const list = async () => {
    const planes = (await driver.list()).filter(isReadable)
    await standIns.follow(planes)
    return keeperPlanes(planes, { driver, standIns })
  }
  do {
    await using held = tryFileLock(lock)
    if (held === undefined) {
      return
    }
    await keepPlanes({
      list,
      dutiesOf: (plane) =>
        plane.isAsleep === true ? [] : driverDuties(plane, worldOf(plane, { ...world, standIns })),
      now: () => new Date(),
      log,
      signal,
    })
  } while (!signal.aborted && (await list()).length > 0)
}

async function keeperPlanes(
  planes: readonly Plane[],
  { driver, standIns }: { driver: Driver; standIns: StandIns },
): Promise<KeeperPlane[]> {
  const found = await Promise.all(
    planes.map(async (stored) => {
      const { desired, id, idleSince, name, restoring, spec } = stored
      const isAwake = desired === 'running' || idleSince !== undefined || isWokenByAny(stored)
      if (!needsKeeper(spec) || !isAwake || restoring !== undefined) {
        return []
      }
      // A plane that lost some of its components gets an alarm. One that a reboot stopped needs no keeper.
      const components = ['etcd', 'kube-controller-manager'] as const
      const running = await Promise.all(components.map((one) => driver.isRunning(stored, [one])))
      const plane = { name, id, driver: driver.name, spec }
      if (running.includes(true) && !standIns.isWaking(id)) {
        return [plane]
      }
      return standIns.isFor(id) ? [{ ...plane, isAsleep: true }] : []
    }),
  )
  return found.flat()
}

function worldOf(
  { id, name }: KeeperPlane,
  { driver, log, openApi, root, snapshots, standIns }: LocalWorld & { standIns: StandIns },
): DriverWorld {
  const store = new PlaneStore(root)
  const folder = store.folder(name)
  return {
    openApi,
    driver,
    isHeld: () => store.isHeld(name),
    duringPause: (...pause) => standIns.during(...pause),
    find: () => findAgain(driver, { id, name }),
    storeOf: ({ store: url }) => (url === undefined ? snapshots.local : snapshots.storeOf(url)),
    boards: {
      alarms: fileBoard<readonly PlaneAlarm[]>(folder.alarms, parseAlarms, (alarms) =>
        formatKeeperRecord({ alarms }),
      ),
      backup: fileBoard(folder.backups, parseBackupStatus, formatKeeperRecord),
      idle: fileBoard(folder.idle, parseIdleStatus, formatKeeperRecord),
    },
    // Local planes have no Events.
    report: ({ message, reason }) => log(`${name}: ${reason}: ${message}`),
    now: () => new Date(),
  }
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
