import { createHash } from 'node:crypto'

/**
 * A checksum of files, whatever order they are in. In a pod template it makes new pods when the files change that a
 * process reads at its start.
 */
export function checksumOf(files: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(files).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex')
}
