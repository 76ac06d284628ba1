import type { BackupStatus } from '../../control-plane/status/backup-status.ts'
import type { RenewalStatus } from '../../control-plane/status/plane-figures.ts'
import { lockPath } from '../../drivers/kubernetes/namespace/inventory.ts'
import { LEASE_TIMES } from '../../kube/lease/lease-object.ts'
import { isAbandoned } from '../../kube/lease/wait-for-free-lease.ts'
import type { Duty } from '../duties/duty.ts'
import { measureFromPod } from './measure-from-pod.ts'
import { PlaneWatch } from '../duties/plane-watch.ts'
import type { PodWorld } from './pod-world.ts'
import { statusBoard } from '../duties/status-board.ts'

/** How the other things stand that a keeper does. */
export interface OtherDuties {
  /** @default the plane is not backed up */
  backup?: () => BackupStatus
  /** undefined until it is known. */
  renewal: () => RenewalStatus | undefined
}

/** Watches the plane beside which this pod runs. */
export function podWatch(world: PodWorld, others: OtherDuties): Required<Duty> {
  const { host, namespace, now, report, settings } = world
  const watch = new PlaneWatch(settings.plane, {
    measure: async (signal) => {
      const figures = await measureFromPod(world, signal)
      const [backup, renewal] = [others.backup?.(), others.renewal()]
      return (
        figures && {
          ...figures,
          ...(backup === undefined ? {} : { backup }),
          ...(renewal === undefined ? {} : { renewal }),
        }
      )
    },
    isChanging: (signal) => isHeld(world, signal),
    board: statusBoard(host, 'alarms', { name: settings.statusName, namespace }),
    report,
    now,
  })
  return { look: (signal) => watch.look(signal), metrics: () => watch.metrics() }
}

/** Whether somebody who works on the plane holds it. */
async function isHeld(
  { host, namespace, now, settings }: Pick<PodWorld, 'host' | 'namespace' | 'now' | 'settings'>,
  signal: AbortSignal,
): Promise<boolean> {
  const lease = await host.get(lockPath({ name: settings.plane, namespace }), { signal })
  return (
    lease !== undefined && !isAbandoned(lease, { isDead: () => false, now, times: LEASE_TIMES })
  )
}
