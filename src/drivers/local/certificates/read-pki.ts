import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PkiFiles } from '../../../pki/plane/certificate-expiry.ts'

/** The certificates and keys in a plane's folder for them, by their names there. */
export async function readPki(folder: string): Promise<PkiFiles> {
  const names = (await readdir(folder, { recursive: true })).filter((name) =>
    /\.(crt|key|pub|json)$/.test(name),
  )
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
    ),
  )
}
