import { setTimeout as delay } from 'node:timers/promises'
import { clusterFolder } from '../cluster/state/cluster-folder.ts'
import { hostClient } from '../cluster/host-client.ts'
import { provisionVolumes } from './provision-volumes.ts'

// The process that makes the volumes of one cluster, which `start-provisioner.ts` starts.
const [clusters = '', name = '', server = ''] = process.argv.slice(2)
const folder = clusterFolder(clusters, name)
const client = hostClient({ folder, plan: { server } })
const { signal } = new AbortController()
for (;;) {
  try {
    await provisionVolumes(client, folder, signal)
  } catch (error) {
    // The API server of a host is stopped in tests. The next list has what was missed.
    process.stderr.write(`${String(error)}\n`)
    await delay(1000)
  }
}
