import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { leavesToRenew, renewLeaves } from '../../../pki/certificate-expiry.ts'
import { writeFile } from '../../../shared/write-file.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'

/**
 * Issues the leaf certificates of a plane anew that end within 90 days; whoever calls holds the plane's lock. Running
 * components read them again by themselves.
 *
 * @returns the names of the certificates that were renewed.
 */
export async function renewCertificates({ pki }: PlaneFolder, now: Date): Promise<string[]> {
  const names = (await readdir(pki, { recursive: true })).filter((name) =>
    /\.(crt|key)$/.test(name),
  )
  const files = Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, await readFile(join(pki, name), 'utf8')] as const),
    ),
  )
  const due = leavesToRenew(files, { now })
  if (due.length > 0) {
    const renewed = Object.entries(renewLeaves(files, { now }))
    await Promise.all(renewed.map(([name, text]) => writeFile(join(pki, name), text)))
  }
  return due
}
