import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { writeSqlite } from '../../../data/write-sqlite.ts'
import type { Manifest } from '../../../manifests/manifest.ts'
import { objectName } from '../../../manifests/object-names.ts'
import { PLACER } from '../../../manifests/restore/restore-scripts.ts'
import { withFormerSqlite, withSqlite } from '../../../manifests/restore/with-sqlite.ts'
import { createTemporaryFolder } from '../../../shared/files/create-temporary-folder.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { Host, KubernetesContext } from '../context/context.ts'
import { applyObjects } from '../host/apply-objects.ts'
import { isPod } from '../host/host-pod.ts'
import { storeObjects } from '../objects/store-objects.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import { scaledTo, workloadPath } from '../observed/workloads.ts'
import { stopComponents } from '../workloads/stop-components.ts'
import { waitForComponent } from '../workloads/wait-for-component.ts'
import type { KineData, KineDataOptions } from './kine-data.ts'
import { replaceStranded } from './replace-stranded.ts'
import { sendSnapshot } from './send-snapshot.ts'

/**
 * The file of sqlite in the volume of kine. It is written on this machine. The pod of kine itself receives it and places it,
 * so it works for every kind of volume, and for one that does not exist yet. The former file stays in the volume until the
 * next restore.
 */
export async function volumeData(
  context: KubernetesContext,
  host: Host,
  { helperImage, id, journal, operation, place }: KineDataOptions,
): Promise<KineData> {
  const { api } = host
  const { signal } = operation
  const folder = await createTemporaryFolder()
  const file = join(folder.path, 'state.db')
  const pod = `${objectName(place.name, 'kine')}-0`
  const placed = async (change: (statefulSet: Manifest) => Manifest, untilSent?: () => unknown) => {
    const files = await storedKeys(api, place, signal)
    const { configuration, statefulSet } = storeObjects({ files, journal, place })
    await applyObjects(api, [...configuration, change(statefulSet)], signal)
    await api.patch(workloadPath(place, 'kine'), scaledTo(1), { type: 'merge', signal })
    await untilSent?.()
    await waitForComponent(
      { diagnose: context.diagnose, host, operation, place },
      { component: 'kine', what: 'the new data', check: (limit) => hasPlaced(host, limit) },
    )
    // Its next pod has the usual template: this one would wait for a file again.
    await stopComponents(api, journal, { place, components: ['kine'], operation })
  }
  const hasPlaced = async ({ api: read }: Pick<Host, 'api'>, limit: AbortSignal) => {
    const path = objectPath('pods', { name: pod, namespace: place.namespace })
    const found = await read.get(path, { signal: limit })
    const states = found && isPod(found) ? (found.status?.initContainerStatuses ?? []) : []
    return states.find(({ name }) => name === PLACER)?.state?.terminated?.exitCode === 0
  }
  return {
    load: (rows) => writeSqlite(file, rows),
    exchange: async (former) => {
      await replaceStranded(host, journal, { place, component: 'kine', operation })
      const hash = createHash('sha256')
      await pipeline(createReadStream(file), hash)
      const restore = {
        former,
        helperImage,
        sha256: hash.digest('hex'),
        sizeBytes: (await stat(file)).size,
      }
      const sent = { place, id, component: 'kine', pod, file, operation } as const
      await placed(
        (statefulSet) => withSqlite(statefulSet, restore),
        () => sendSnapshot(context, host, sent),
      )
    },
    putBack: async (former) => {
      await placed((statefulSet) => withFormerSqlite(statefulSet, { former, helperImage }))
      return true
    },
    dropFormer: () => Promise.resolve(),
    describe: (former) => `the folder "${former}" of its volume, until the next restore`,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}
