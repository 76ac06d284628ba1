import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PkiFiles } from '../../../pki/plane/certificate-expiry.ts'
import { writeFile } from '../../../shared/files/write-file.ts'

/** Makes the certificates and keys in a plane's folder for them be `wanted`, each in one step; `before` is what is there. */
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
