import type { Driver } from '../../control-plane/driver/driver.ts'
import { isReadable } from '../../control-plane/plane/unreadable-plane.ts'
import { needsKeeper } from '../../control-plane/spec/needs-keeper.ts'
import { tryFileLock } from '../../shared/files/file-lock.ts'
import { keepPlanes, type KeeperPlane } from '../duties/keep-planes.ts'
import { localDuties, type LocalWorld } from './local-duties.ts'

export interface KeepLocalOptions extends LocalWorld {
  /** The file that the one keeper of these planes holds locked. */
  lock: string
  signal: AbortSignal
}

/**
 * PlaneObserver after the local planes for as long as one of them needs it, unless another keeper does.
 *
 * A plane may come in the moment in which the last one has gone; whoever made it saw the lock held.
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
