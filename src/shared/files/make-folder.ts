import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { hasErrorCode } from '../errors.ts'

/** Makes a folder, and those above it that are missing, for their owner alone. One that is there stays as it is. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    // On a read-only file system Node.js 24 says ENOENT when it makes folders recursively; of one folder it tells why.
    if (hasErrorCode(error, 'ENOENT')) {
      mkdirSync(firstMissing(path), { mode: 0o700 })
    }
    throw error
  }
}

function firstMissing(path: string): string {
  const parent = dirname(path)
  return parent === path || existsSync(parent) ? path : firstMissing(parent)
}
