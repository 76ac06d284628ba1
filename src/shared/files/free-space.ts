import { statfs } from 'node:fs/promises'

/** Returns how many bytes a user may still write to the disk of a folder, which must exist. */
export async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
