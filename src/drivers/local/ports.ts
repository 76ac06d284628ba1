import { chooseLastingPorts } from '../../shared/ports.ts'
import type { Ports } from './store/plane-record.ts'

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
