import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseCertificates } from '../../../pki/x509/pem.ts'
import { hasErrorCode } from '../../../shared/errors.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'

/**
 * When the first certificate of a plane ends, the members of bundles included; undefined before it has any. Files that are no certificates are passed
 * over. Reads without giving way: `list` does this for every plane, and a dozen small files are read faster than
 * promised.
 */
export function certificateExpiry({ pki }: PlaneFolder): Date | undefined {
  const ends = [pki, join(pki, 'etcd')].flatMap(certificateFiles).flatMap(endOf)
  return ends.length === 0 ? undefined : new Date(Math.min(...ends))
}

function certificateFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.crt'))
      .map((name) => join(folder, name))
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) {
      return []
    }
    throw error
  }
}

function endOf(file: string): number[] {
  try {
    const bundle = parseCertificates(readFileSync(file, 'utf8'), file)
    return bundle.map(({ validToDate }) => validToDate.getTime())
  } catch {
    // Damaged, or deleted meanwhile: the component that needs it says so.
    return []
  }
}
