import { deletedMeanwhile } from '../control-plane/plane/deleted-meanwhile.ts'
import { formatBackupStatus } from '../control-plane/status/backup-record.ts'
import type { Driver } from '../control-plane/driver/driver.ts'
import { isReadable } from '../control-plane/plane/unreadable-plane.ts'
import { needsKeeper } from '../control-plane/spec/needs-keeper.ts'
import type { Plane, PlaneReference } from '../control-plane/plane/plane.ts'
import { readBackups } from '../drivers/local/status/keeper-status.ts'
import { PlaneStore } from '../drivers/local/store/plane-store.ts'
import type { Duty, KeeperEvent } from '../keeper/duties/duty.ts'
import { keepPlanes, type KeptPlane } from '../keeper/duties/keep-planes.ts'
import { type BackedUpPlane, PlaneBackups } from '../keeper/duties/plane-backups.ts'
import { processEnvironment } from '../shared/environment.ts'
import { messageOf } from '../shared/errors.ts'
import { tryFileLock } from '../shared/files/file-lock.ts'
import { silentUi } from '../shared/ui.ts'
import { writeFile } from '../shared/files/write-file.ts'
import { compose, type Composition } from './compose.ts'
import { keeperPlace } from './keeper/keeper-place.ts'
import { localIdle } from './keeper/local-idle.ts'
import { localWatch } from './keeper/local-watch.ts'
import { createSnapshots } from './snapshots.ts'

/**
 * What `vplane keeper FOLDER` is: the one process of a user that looks after the local planes in a folder, for as long as
 * one of them needs it and runs.
 *
 * @returns the exit status
 */
export async function runKeeperProcess([root = '']: readonly string[]): Promise<number> {
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  process.once('SIGINT', () => stop.abort())
  // The terminal that it was started from is not its own.
  process.on('SIGHUP', () => {})
  const log = (line: string) => process.stderr.write(`${new Date().toISOString()} ${line}\n`)
  try {
    await keepWhileNeeded(root, { log, signal: stop.signal })
    return 0
  } catch (error) {
    log(`error: ${messageOf(error)}`)
    return 1
  }
}

interface Surroundings {
  log: (line: string) => void
  signal: AbortSignal
}

/** A plane may come in the moment in which the last one has gone; whoever made it saw the lock held. */
async function keepWhileNeeded(root: string, surroundings: Surroundings): Promise<void> {
  const { signal } = surroundings
  await using composition = compose({ environment: processEnvironment(), ui: silentUi, root })
  const { openApi } = composition
  const driver = composition.drivers.find(({ name }) => name === 'local')
  const list = () => (driver === undefined ? Promise.resolve([]) : keptPlanes(driver))
  const { lock } = keeperPlace(root)
  do {
    await using held = tryFileLock(lock)
    if (held === undefined || driver === undefined) {
      return
    }
    await keepPlanes({
      list,
      dutiesOf: (plane) => dutiesOf(plane, { driver, openApi, root, ...surroundings }),
      now: () => new Date(),
      ...surroundings,
    })
  } while (!signal.aborted && (await list()).length > 0)
}

async function keptPlanes(driver: Driver): Promise<KeptPlane[]> {
  const planes = (await driver.list()).filter(isReadable)
  const kept = await Promise.all(
    planes.map(async (plane) => {
      const { desired, id, idleSince, isHalfRestored = false, name, spec } = plane
      const isAwake = desired === 'running' || idleSince !== undefined
      if (!needsKeeper(spec) || !isAwake || isHalfRestored) {
        return []
      }
      // One that has lost some of its components is told about; of one that was stopped by a reboot there is nothing to do.
      const rest = ['etcd', 'kube-controller-manager'] as const
      const running = await Promise.all(rest.map((one) => driver.isRunning(plane, [one])))
      return running.includes(true) ? [{ name, id, driver: driver.name, spec }] : []
    }),
  )
  return kept.flat()
}

interface LocalWorld extends Surroundings {
  driver: Driver
  openApi: Composition['openApi']
  root: string
}

/** What the keeper does for a plane of this machine. */
function dutiesOf({ spec: { backup, idle }, ...plane }: KeptPlane, world: LocalWorld): Duty[] {
  return [
    watchOf(plane, world),
    ...(backup === undefined ? [] : [backupsOf({ ...plane, backup }, world)]),
    ...(idle === undefined ? [] : [idleOf({ ...plane, idle }, world)]),
  ]
}

function watchOf(plane: Omit<KeptPlane, 'spec'>, world: LocalWorld): Duty {
  const { driver, openApi, root } = world
  const store = new PlaneStore(root)
  return localWatch(plane, {
    driver,
    openApi,
    folder: store.folder(plane.name),
    isHeld: () => store.isHeld(plane.name),
    find: () => foundAgain(driver, plane),
    report: reporterOf(plane, world),
  })
}

function idleOf(plane: PlaneReference & { id: string; idle: string }, world: LocalWorld): Duty {
  const { driver, root } = world
  return localIdle(plane, {
    driver,
    folder: new PlaneStore(root).folder(plane.name),
    find: () => foundAgain(driver, plane),
    report: reporterOf(plane, world),
  })
}

function backupsOf(plane: BackedUpPlane, world: LocalWorld): PlaneBackups {
  const { driver, log, root } = world
  const { name } = plane
  const folder = new PlaneStore(root).folder(name)
  const environment = processEnvironment()
  const snapshots = createSnapshots({ data: root, environment, warn: log })
  const { store } = plane.backup
  return new PlaneBackups(plane, {
    volumes: async () => driver.pods.volumes(await foundAgain(driver, plane)),
    readData: async (signal) => driver.snapshot(await foundAgain(driver, plane), signal),
    store: store === undefined ? snapshots.kept : snapshots.storeOf(store),
    board: {
      read: async () => readBackups(folder),
      write: (status) => writeFile(folder.backups, formatBackupStatus(status)),
    },
    report: reporterOf(plane, world),
    now: () => new Date(),
  })
}

/** There are no Events of a plane of this machine: its keeper's log says what happened. */
function reporterOf({ name }: PlaneReference, { log }: LocalWorld) {
  return ({ message, reason }: KeeperEvent) => log(`${name}: ${reason}: ${message}`)
}

/** The plane as it is stored now. */
async function foundAgain(
  driver: Driver,
  { id, name }: Pick<Plane, 'id' | 'name'>,
): Promise<Plane> {
  const [plane] = await driver.find(name)
  if (plane === undefined || !isReadable(plane) || plane.id !== id) {
    throw deletedMeanwhile(name)
  }
  return plane
}
