import { messageOf, VplaneError } from '../../../shared/errors.ts'
import { chooseLastingPorts } from '../../../shared/network/ports.ts'
import type { Ports } from './plane-record.ts'
import type { PlaneStore } from './plane-store.ts'

const PORTS_PER_PLANE = 4

/**
 * Chooses ports for a new plane, none of them `taken`, that systems do not assign to others while it is paused.
 * @throws {VplaneError} `FAILED` when it finds no free port.
 */
export async function choosePorts(taken: ReadonlySet<number>): Promise<Ports> {
  const [etcdClient = 0, etcdPeer = 0, apiServer = 0, controllerManager = 0] =
    await chooseLastingPorts(PORTS_PER_PLANE, taken).catch((error: unknown) => {
      throw new VplaneError(
        'FAILED',
        `${messageOf(error)}: control planes use ${taken.size} of them`,
        {
          hints: [
            'delete planes that are not needed, which keep their ports while they are paused',
          ],
          cause: error,
        },
      )
    })
  return { etcdClient, etcdPeer, apiServer, controllerManager }
}

/** The ports of all planes, running or not. */
export async function takenPorts({
  others,
  store,
}: {
  store: PlaneStore
  others?: PlaneStore | undefined
}): Promise<Set<number>> {
  // This process may not be allowed to read the folder of the others.
  const ofOthers = others?.list().catch(() => [])
  const planes = [...(await store.list()), ...((await ofOthers) ?? [])]
  return new Set(
    planes.flatMap(({ record }) =>
      record instanceof VplaneError ? [] : Object.values<number>({ ...record.ports }),
    ),
  )
}
