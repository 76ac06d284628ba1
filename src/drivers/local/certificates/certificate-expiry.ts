import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expiriesIn } from '../../../pki/x509/expiry.ts'
import { hasErrorCode } from '../../../shared/errors.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'

/**
 * When the first certificate of a plane expires, including those in bundles; undefined before it has any. It skips
 * files that are not certificates, and reads synchronously: `list` reads a dozen small files of every plane.
 */
export function certificateExpiry({ pki, sharedEtcd }: PlaneFolder): Date | undefined {
  const times = [pki, join(pki, 'etcd'), sharedEtcd.folder]
    .flatMap(certificateFiles)
    .flatMap(expiriesOf)
  return times.length === 0 ? undefined : new Date(Math.min(...times))
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

function expiriesOf(file: string): number[] {
  try {
    return expiriesIn(readFileSync(file, 'utf8')).map((expiry) => expiry.getTime())
  } catch {
    // Damaged, or deleted meanwhile: the component that needs it reports it.
    return []
  }
}
