import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArchivedFile } from '../../../shared/files/tar.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'

/** The records of a plane's processes, and a listing of its folder without the content of keys and data. */
export async function debugFiles({ processes, root }: PlaneFolder): Promise<ArchivedFile[]> {
  const names = await readdir(root, { recursive: true })
  const lines = await Promise.all(
    names.toSorted().map(async (name) => {
      const { mode, mtime, size } = await lstat(join(root, name))
      const permissions = (mode & 0o7777).toString(8).padStart(4, '0')
      return `${permissions} ${mtime.toISOString()} ${size} ${name}\n`
    }),
  )
  const records = await Promise.all(
    (await readdir(processes)).map(async (name) => ({
      path: `processes/${name}`,
      text: await readFile(join(processes, name), 'utf8'),
    })),
  )
  return [{ path: 'folder.txt', text: lines.join('') }, ...records]
}
