import { VplaneError } from '../../../shared/errors.ts'
import { chooseLastingPorts } from '../../../shared/network/ports.ts'
import type { Ports } from './plane-record.ts'
import type { PlaneStore } from './plane-store.ts'

/**
 * The ports of a new plane, which stay free for it while it rests; none of them is `taken`.
 *
 * @throws {VplaneError} `FAILED` when no free port can be found.
 */
export async function choosePorts(taken: ReadonlySet<number>): Promise<Ports> {
  const [etcdClient = 0, etcdPeer = 0, apiServer = 0, controllerManager = 0] =
    await chooseLastingPorts(4, taken)
  return { etcdClient, etcdPeer, apiServer, controllerManager }
}

/** The ports of all planes, running or not. */
export async function takenPorts(store: PlaneStore): Promise<Set<number>> {
  const planes = await store.list()
  return new Set(
    planes.flatMap(({ record }) =>
      record instanceof VplaneError ? [] : Object.values<number>({ ...record.ports }),
    ),
  )
}
