import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { portableFiles } from '../../../pki/plane/portable-files.ts'
import type { StartContext } from '../components/start-context.ts'
import { writeEtcdPki, writePlanePki } from '../components/write-plane-files.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord } from '../store/plane-record.ts'

/** Gives a plane that waits for its first data its keys. Whoever calls holds the plane's lock. */
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

/** The keys and CA certificates by which others know a plane, by the names of their files. */
export async function readKeys({ pki }: PlaneFolder): Promise<Record<string, string>> {
  const names = (await readdir(pki)).filter((name) => /\.(crt|key|pub|json)$/.test(name))
  const files = await Promise.all(
    names.map(async (name) => [name, await readFile(join(pki, name), 'utf8')] as const),
  )
  return portableFiles(Object.fromEntries(files))
}
