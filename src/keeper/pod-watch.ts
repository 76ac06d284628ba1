import type { BackupStatus } from '../control-plane/backup/backup-status.ts'
import type { Duty } from './duty.ts'
import { measureFromPod } from './measure-from-pod.ts'
import { PlaneWatch } from './plane-watch.ts'
import type { PodWorld } from './pod-world.ts'
import { statusBoard } from './status-board.ts'

/** Watches the plane beside which this pod runs. */
export function podWatch(
  world: PodWorld,
  backupOf: (() => BackupStatus) | undefined,
): Required<Duty> {
  const { host, namespace, now, report, settings } = world
  const watch = new PlaneWatch(settings.plane, {
    measure: async (signal) => {
      const figures = await measureFromPod(world, signal)
      return figures && { ...figures, ...(backupOf === undefined ? {} : { backup: backupOf() }) }
    },
    board: statusBoard(host, 'alarms', { name: settings.statusName, namespace }),
    report,
    now,
  })
  return { look: (signal) => watch.look(signal), metrics: () => watch.metrics() }
}
