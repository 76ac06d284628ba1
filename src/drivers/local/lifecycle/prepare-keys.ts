import type { Ui } from '../../../shared/ui.ts'
import type { StartContext } from '../components/start-context.ts'
import { writeEtcdPki, writePlanePki } from '../components/write-plane-files.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { ensureKeeperFor } from './maintain-plane.ts'

/**
 * Writes the certificates and keys of a paused plane without data, those in `keys` as they are, and starts its keeper if
 * clients wake it. The caller holds its lock.
 */
export async function prepareKeys(
  { now, store, ...context }: Pick<StartContext, 'ensureKeeper' | 'now' | 'store'>,
  record: PlaneRecord,
  { keys = {}, ui }: { keys?: Readonly<Record<string, string>> | undefined; ui: Pick<Ui, 'warn'> },
): Promise<PlaneRecord> {
  if (record.isBootstrapped) {
    return record
  }
  const folder = store.folder(record.name)
  await writeEtcdPki(record, folder, now())
  await writePlanePki(record, folder, { now: now(), existing: keys })
  const prepared = await store.update({ ...record, isBootstrapped: true })
  await ensureKeeperFor(context, prepared, ui)
  return prepared
}
