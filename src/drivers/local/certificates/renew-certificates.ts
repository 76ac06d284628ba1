import {
  leavesToRenew,
  type RenewalOptions,
  renewLeaves,
} from '../../../pki/plane/certificate-expiry.ts'
import { withPending } from '../../../pki/rotation/pending-rotation.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import { readPki } from './read-pki.ts'
import { writePki } from './write-pki.ts'

/**
 * Issues the leaf certificates of a plane anew that end soon, and puts right what a rotation that was cut off left half
 * written; whoever calls holds the plane's lock. Running components read leaves again by themselves.
 *
 * @returns the names of the files of certificates that were renewed.
 */
export async function renewCertificates(
  { pki }: PlaneFolder,
  options: RenewalOptions,
): Promise<string[]> {
  const found = await readPki(pki)
  const files = withPending(found)
  const due = leavesToRenew(files, options)
  await writePki(pki, found, due.length > 0 ? { ...files, ...renewLeaves(files, options) } : files)
  return due
}
