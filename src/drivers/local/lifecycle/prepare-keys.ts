import type { StartContext } from '../components/start-context.ts'
import { writeEtcdPki, writePlanePki } from '../components/write-plane-files.ts'
import type { PlaneRecord } from '../store/plane-record.ts'

/** Writes the certificates and keys of a paused plane without data, those in `keys` as they are. The caller holds its lock. */
export async function prepareKeys(
  { now, store }: Pick<StartContext, 'now' | 'store'>,
  record: PlaneRecord,
  keys: Readonly<Record<string, string>> = {},
): Promise<PlaneRecord> {
  if (record.isBootstrapped) {
    return record
  }
  const folder = store.folder(record.name)
  await writeEtcdPki(record, folder, now())
  await writePlanePki(record, folder, { now: now(), existing: keys })
  return store.update({ ...record, isBootstrapped: true })
}
