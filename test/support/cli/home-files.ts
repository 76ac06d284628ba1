import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Every file below a folder by its path there, with what identifies its contents. */
export function homeFiles(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter(
    (entry) => !entry.isDirectory(),
  )
  return Object.fromEntries(
    files
      .map(({ name, parentPath }) => join(parentPath, name))
      // kubectl's own.
      .filter((path) => !relative(root, path).startsWith('.kube'))
      .toSorted()
      .map((path) => [
        relative(root, path),
        createHash('sha256').update(readFileSync(path)).digest('hex'),
      ]),
  )
}
