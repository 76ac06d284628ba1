import { formatAlarms } from '../../control-plane/status/alarms-record.ts'
import type { Driver } from '../../control-plane/driver/driver.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import {
  measurePlane,
  type MeasureDependencies,
} from '../../control-plane/use-cases/observe/measure-plane.ts'
import { readAlarms } from '../../drivers/local/status/keeper-status.ts'
import type { PlaneFolder } from '../../drivers/local/store/plane-folder.ts'
import type { Duty, KeeperEvent } from '../../keeper/duties/duty.ts'
import { PlaneWatch } from '../../keeper/duties/plane-watch.ts'
import { writeFile } from '../../shared/files/write-file.ts'

export interface LocalWatchOptions extends MeasureDependencies {
  driver: Driver
  folder: PlaneFolder
  /** Whether somebody works on the plane. */
  isHeld: () => Promise<boolean>
  /** The plane as it is stored now. */
  find: () => Promise<Plane>
  report: (event: KeeperEvent) => void
}

/** Watches a plane of this machine. A look at it renews certificates in their last 90 days, too. */
export function localWatch(
  { name }: { name: string },
  { driver, find, folder, isHeld, openApi, report }: LocalWatchOptions,
): Duty {
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
    now: () => new Date(),
  })
}
