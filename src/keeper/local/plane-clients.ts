import { setTimeout as delay } from 'node:timers/promises'
import { SERVING_NAMES } from '../../control-plane/plane/plane.ts'
import type { PlaneFolder } from '../../drivers/local/store/plane-folder.ts'
import { type ConnectingProcess, processesOf } from '../../shared/network/connecting-process.ts'
import { clientInodes } from '../../shared/network/socket-table.ts'
import { readProcessRecord } from '../../shared/processes/launch/process-record.ts'

/** A watch lasts for minutes, a connection of a probe for milliseconds. */
const LASTING_MS = 1000

/**
 * The processes that stay connected to the API server of a plane, apart from its own components and this keeper. A process
 * that cannot be found is undefined: it is one of another user.
 */
export async function planeClients(
  { processOf }: Pick<PlaneFolder, 'processOf'>,
  port: number,
): Promise<Array<ConnectingProcess | undefined>> {
  const before = new Set(await clientInodes({ to: port }))
  await delay(LASTING_MS)
  const lasting = (await clientInodes({ to: port })).filter((inode) => before.has(inode))
  const own = new Set<number | undefined>([process.pid])
  SERVING_NAMES.forEach((name) => own.add(readProcessRecord(processOf(name))?.processId))
  const clients = await processesOf(lasting)
  return clients.filter((client) => client === undefined || !own.has(client.id))
}
