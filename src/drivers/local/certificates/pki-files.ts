import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PkiFiles } from '../../../pki/plane/certificate-expiry.ts'
import { writeFile } from '../../../shared/files/write-file.ts'

/** Reads the certificates and keys in the folder `pki` of a plane, by the names of their files. */
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

/** Changes the files in the folder `pki` of a plane from `before` to `wanted`, each file in one step. */
export async function writePki(folder: string, before: PkiFiles, wanted: PkiFiles): Promise<void> {
  for (const [name, text] of Object.entries(wanted)) {
    if (before[name] !== text) {
      await mkdir(dirname(join(folder, name)), { recursive: true, mode: 0o700 })
      await writeFile(join(folder, name), text)
    }
  }
  for (const name of Object.keys(before).filter((one) => wanted[one] === undefined)) {
    await rm(join(folder, name), { force: true })
  }
}
