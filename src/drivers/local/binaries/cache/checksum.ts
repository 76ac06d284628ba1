import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

/**
 * The SHA-256 that a checksum file gives for `fileName`: the file's only word (`<hex>`), or the line of that name as
 * `sha256sum` writes it. Undefined when it gives none.
 */
export function parseChecksum(text: string, fileName: string): string | undefined {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+\*?/))
  const [sum] =
    lines.find(([, name]) => name === fileName) ??
    lines
      .filter(([word]) => word !== '')
      .find((words, _, all) => all.length === 1 && words.length === 1) ??
    []
  return sum !== undefined && /^[0-9a-f]{64}$/i.test(sum) ? sum.toLowerCase() : undefined
}

/** The SHA-256 of a file, in hexadecimal. */
export async function sha256Of(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash, signal === undefined ? {} : { signal })
  return hash.digest('hex')
}
