import type { StartContext } from '../components/start-context.ts'
import { writeEtcdPki, writePlanePki } from '../components/write-plane-files.ts'
import type { PlaneRecord } from '../store/plane-record.ts'

/** Writes the keys of a plane that waits for its first data. The caller holds the plane's lock. */
export async function makeAtRest(
  { now, store }: Pick<StartContext, 'now' | 'store'>,
  record: PlaneRecord,
  { keys }: { keys: Record<string, string> },
): Promise<PlaneRecord> {
  if (record.isBootstrapped) {
    return record
  }
  const folder = store.folder(record.name)
  await writeEtcdPki(record, folder, now())
  await writePlanePki(record, folder, { now: now(), kept: keys })
  return store.update({ ...record, isBootstrapped: true })
}
