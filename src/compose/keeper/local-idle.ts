import { formatIdleStatus } from '../../control-plane/status/idle-record.ts'
import type { Driver } from '../../control-plane/driver/driver.ts'
import { KEEPER, type Plane } from '../../control-plane/plane/plane.ts'
import { readIdle } from '../../drivers/local/status/keeper-status.ts'
import type { PlaneFolder } from '../../drivers/local/store/plane-folder.ts'
import type { Duty, KeeperEvent } from '../../keeper/duties/duty.ts'
import { PauseWhenIdle } from '../../keeper/duties/pause-when-idle.ts'
import { readUse } from '../../keeper/duties/read-use.ts'
import { LEAF_LIFETIME_MS } from '../../pki/issue/lifetimes.ts'
import { parseDuration } from '../../shared/text/duration.ts'
import { silentUi } from '../../shared/ui.ts'
import { writeFile } from '../../shared/files/write-file.ts'

export interface LocalIdleOptions {
  driver: Driver
  folder: PlaneFolder
  /** The plane as it is stored now. */
  find: () => Promise<Plane>
  report: (event: KeeperEvent) => void
}

/** Pauses a plane of this machine that nobody has used for so long. */
export function localIdle(
  { idle, name }: { name: string; idle: string },
  { driver, find, folder, report }: LocalIdleOptions,
): Duty {
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
      now: () => new Date(),
    },
  )
}
