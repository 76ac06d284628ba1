import type { Driver } from '../../control-plane/driver/driver.ts'
import type { IdlePause } from '../../control-plane/driver/requests.ts'
import type { SnapshotStore } from '../../control-plane/driver/snapshot.ts'
import { KEEPER, type Plane } from '../../control-plane/plane/plane.ts'
import type { BackupSpec } from '../../control-plane/spec/fields/backup-spec.ts'
import type { BackupStatus } from '../../control-plane/status/backup-status.ts'
import type { IdleStatus } from '../../control-plane/status/keeper-records.ts'
import type { PlaneFigures } from '../../control-plane/status/plane-figures.ts'
import type { PlaneAlarm } from '../../control-plane/status/plane-alarms.ts'
import type { PlaneLabels } from '../../control-plane/status/to-metrics.ts'
import {
  measurePlane,
  type MeasureDependencies,
} from '../../control-plane/use-cases/observe/measure-plane.ts'
import { knownEncryptionKeys } from '../../control-plane/use-cases/snapshot/known-encryption-keys.ts'
import { LEAF_LIFETIME_MS } from '../../pki/issue/lifetimes.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { parseDuration } from '../../shared/text/duration.ts'
import { silentUi } from '../../shared/ui.ts'
import type { Duty, KeeperEvent } from './duty.ts'
import type { KeeperPlane } from './keep-planes.ts'
import { PauseWhenIdle } from './pause-when-idle.ts'
import { type BackedUpPlane, PlaneBackups } from './plane-backups.ts'
import { type PlaneUse, readUse } from './plane-use.ts'
import { PlaneWatch } from './plane-watch.ts'
import type { Board } from './status-board.ts'

/** How a keeper that does not run beside a plane reaches it. */
export interface DriverWorld extends MeasureDependencies {
  driver: Driver
  /** Answers reads that are made again and again. @default `driver` */
  seen?: Driver
  /** Reads the plane. @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when it was deleted, or created again. */
  find: () => Promise<Plane>
  /** Whether someone changes the plane. */
  isHeld: (signal: AbortSignal) => Promise<boolean>
  /** Where its backups go. */
  storeOf: (backup: BackupSpec) => Pick<SnapshotStore, 'delete' | 'list' | 'put'>
  boards: {
    alarms: Board<readonly PlaneAlarm[]>
    backup: Board<BackupStatus>
    idle: Board<IdleStatus>
  }
  /** Returns what records that a plane which nobody uses is paused; undefined when it may not be now. @default it may */
  mayFallAsleep?: (plane: Plane, use: PlaneUse) => Promise<(() => Promise<void>) | undefined>
  /** Does `pause`, which a signal may interrupt, and what else the pause of an idle plane needs. @default only `pause` */
  duringPause?: (
    plane: Plane,
    idle: IdlePause,
    pause: (idle: IdlePause, until?: AbortSignal) => Promise<void>,
  ) => Promise<void>
  /** What other duties have found out about the plane. @default there are none */
  others?: () => Partial<PlaneFigures>
  report: (event: KeeperEvent) => void
  now: () => Date
}

/** The duties that its spec gives, done through its driver: alarms, backups, and the pause of an idle plane. */
export function driverDuties(
  { spec: { backup, idle }, ...plane }: KeeperPlane,
  world: DriverWorld,
): Duty[] {
  const { name, namespace } = plane
  const labels = omitUndefined({ plane: name, namespace })
  return [
    watchOf(labels, world),
    ...(backup === undefined ? [] : [backupsOf({ ...plane, backup }, world)]),
    ...(idle === undefined ? [] : [idleOf({ labels, idle }, world)]),
  ]
}

/** Measuring a plane also renews certificates in their last 90 days. */
function watchOf(labels: PlaneLabels, world: DriverWorld): Duty {
  const { boards, driver, find, isHeld, now, others, report, seen = driver } = world
  return new PlaneWatch(labels, {
    measure: async (signal) => {
      const plane = await find()
      const figures = await measurePlane(world, {
        driver: seen,
        plane,
        signal,
        onFailure: () => {},
      })
      // Read again: a plane that was paused meanwhile has not failed.
      const { desired, restoring } = await find()
      const isToRun = desired === 'running' && restoring === undefined
      return isToRun ? { ...figures, ...others?.() } : undefined
    },
    isChanging: isHeld,
    board: boards.alarms,
    report,
    now,
  })
}

function backupsOf(plane: BackedUpPlane, world: DriverWorld): Duty {
  const { boards, driver, find, now, report, storeOf } = world
  return new PlaneBackups(plane, {
    volumes: async () => driver.pods.volumes(await find()),
    readData: async (signal) => driver.snapshot(await find(), signal),
    encryptionKeys: async (signal) => knownEncryptionKeys(driver, await find(), signal),
    store: storeOf(plane.backup),
    board: boards.backup,
    report,
    now,
  })
}

function idleOf({ idle, labels }: { idle: string; labels: PlaneLabels }, world: DriverWorld): Duty {
  const {
    boards,
    driver,
    duringPause = (_plane, idle, pause) => pause(idle),
    find,
    mayFallAsleep,
    now,
    report,
    seen = driver,
  } = world
  return new PauseWhenIdle(
    { labels, idleMs: parseDuration(idle) },
    {
      readUse: async (signal) => {
        const plane = await find()
        // A later change of the plane wins, even when a pause has begun.
        if (plane.desired === 'paused' || plane.spec.idle !== idle) {
          return undefined
        }
        // The lifetime of components' credentials distinguishes the keeper from users.
        const credential = await seen.issueCredential(plane, KEEPER, LEAF_LIFETIME_MS)
        return readUse([{ ...(await seen.endpoint(plane)), ...credential }], signal)
      },
      board: boards.idle,
      ...(mayFallAsleep && { mayFallAsleep: async (use) => mayFallAsleep(await find(), use) }),
      pause: async (because) => {
        // The keeper's signal must not interrupt it: the plane would stay half paused.
        const { signal } = new AbortController()
        const plane = await find()
        const warn = (message: string) =>
          report({ level: 'warning', reason: 'PausedWithWarning', message })
        await duringPause(plane, because, (idle, until = signal) =>
          driver.pause(plane, { ui: { ...silentUi, warn }, signal: until }, { idle }),
        )
      },
      report,
      now,
    },
  )
}
