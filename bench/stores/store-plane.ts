import { setTimeout as delay } from 'node:timers/promises'
import { SERVING_NAMES } from '../../src/control-plane/plane/plane.ts'
import { planeFolder } from '../../src/drivers/local/store/plane-folder.ts'
import { createKubeClient, type KubeClient } from '../../src/kube/client/client.ts'
import { recordsAt } from '../../src/shared/json-fields.ts'
import { readProcessRecord } from '../../src/shared/processes/launch/process-record.ts'
import { CONFIG_MAPS, fillConfigMaps } from '../../test/support/data/fill-config-maps.ts'
import { REST_MS } from '../figures/memory.ts'
import { memoryOf } from '../plane-memory.ts'
import { accessIn } from '../static-kubeconfig.ts'
import { median } from '../statistics.ts'
import type { Workspace } from '../workspace.ts'
import type { MeasuredStore } from './stores.ts'

/** So many requests of a client are open at the same time. */
const AT_ONCE = 16
/** Of each object: about as much as a Deployment has. */
const BYTES = 1024
const SERVICES = '/api/v1/namespaces/default/services'
/** How often a list follows a write, at times that differ by less than this. */
const [WRITES, APART_MS] = [10, 500]

/** A plane with one of the stores, and a client of its API. */
export interface StorePlane extends AsyncDisposable {
  /** Of all its processes after half a minute without work, in MiB. */
  memory: () => Promise<number>
  /** Creates ConfigMaps until there are so many. */
  fillTo: (count: number) => Promise<void>
  /** Replaces these ConfigMaps, one after the other, so often. Returns how many it replaced in a second. */
  update: (times: number, objects: number) => Promise<number>
  /** How long a list of all ConfigMaps takes, in milliseconds. */
  list: () => Promise<number>
  /** How long a list of Services takes just after a write of a ConfigMap, in milliseconds: the median of several. */
  listAfterWrite: () => Promise<number>
  /** How long `vplane resume` takes after a pause, in milliseconds. */
  resume: () => Promise<number>
}

/** Creates a plane with a store. */
export async function createStorePlane(
  workspace: Workspace,
  { plane: name, spec }: Pick<MeasuredStore, 'plane' | 'spec'>,
): Promise<StorePlane> {
  const { planes, signal } = workspace
  await workspace.vplane('create', name, '--driver', 'local', '--file', spec, '--no-connect')
  const { stdout } = await workspace.vplane('kubeconfig', name, '--embed-credentials')
  const { certificateAuthority, ...access } = accessIn(stdout)
  const connection = { ...access, certificateAuthority }
  const client = createKubeClient(connection)
  let filled = 0
  return {
    memory: async () => {
      await delay(REST_MS, undefined, { signal })
      const { processOf } = planeFolder(`${planes}/${name}`)
      return SERVING_NAMES.flatMap((one) => readProcessRecord(processOf(one)) ?? [])
        .map(({ processId }) => memoryOf(processId).total)
        .reduce((sum, total) => sum + total, 0)
    },
    fillTo: async (count) => {
      await fillConfigMaps(connection, { from: filled, count, bytes: BYTES, atOnce: AT_ONCE })
      filled = count
    },
    update: (times, objects) => update(client, { times, objects, signal }),
    list: async () => {
      const startedAt = performance.now()
      const list = await client.get(CONFIG_MAPS, { signal })
      const ms = performance.now() - startedAt
      if (recordsAt(list, 'items').length < filled) {
        throw new Error(`the list has fewer than ${filled} objects`)
      }
      return ms
    },
    listAfterWrite: async () => {
      const times: number[] = []
      for (let count = 0; count < WRITES; count += 1) {
        await delay((count / WRITES) * APART_MS, undefined, { signal })
        await client.replace(`${CONFIG_MAPS}/filled-0`, configMap(0, String(count)), { signal })
        const startedAt = performance.now()
        await client.get(SERVICES, { signal })
        times.push(performance.now() - startedAt)
      }
      return median(times)
    },
    resume: async () => {
      await workspace.vplane('pause', name, '--no-snapshot')
      return (await workspace.vplane('resume', name)).ms
    },
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]()
      await workspace.vplane('delete', name, '--yes')
    },
  }
}

async function update(
  client: KubeClient,
  { objects, signal, times }: { times: number; objects: number; signal: AbortSignal },
): Promise<number> {
  let count = 0
  const startedAt = performance.now()
  const work = async () => {
    while (count < times) {
      const [index, text] = [count % objects, String(count).padEnd(BYTES, 'x')]
      count += 1
      await client.replace(`${CONFIG_MAPS}/filled-${index}`, configMap(index, text), { signal })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return count / ((performance.now() - startedAt) / 1000)
}

function configMap(index: number, text: string) {
  const metadata = { name: `filled-${index}` }
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text } }
}
