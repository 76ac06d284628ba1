import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Certificates and keys of a folder by file name. */
export function readPki(folder: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}
