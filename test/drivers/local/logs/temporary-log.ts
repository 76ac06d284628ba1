import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../../../support/machine/temporary-folder.ts'

/** A log file with this text, in its own folder. */
export async function temporaryLog(text: string) {
  const folder = await temporaryFolder()
  const path = join(folder.path, 'etcd.log')
  await writeFile(path, text)
  return { ...folder, root: folder.path, path }
}
