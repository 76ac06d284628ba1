import { processesOf } from '../../shared/network/connecting-process.ts'
import { clientInodes } from '../../shared/network/socket-table.ts'
import { type LocalClients, OF_KEEPER } from './local-clients.ts'
import { planeClients } from './plane-clients.ts'
import { isRunning, sourceOf } from './waking-process.ts'

/** Clients as processes. Only on Linux. */
export const knownClients: LocalClients = {
  wakingFrom: async (ports) => {
    const [client] = await processesOf(await clientInodes(ports))
    if (client?.id === process.pid) {
      throw new Error(OF_KEEPER)
    }
    return client && sourceOf(client)
  },
  connectedTo: async (folder, port) =>
    (await planeClients(folder, port)).map((client) => client && sourceOf(client)),
  isPresent: isRunning,
}
