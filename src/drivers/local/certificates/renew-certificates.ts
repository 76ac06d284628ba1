import { SHARED_ETCD_CERTIFICATE } from '../../../control-plane/store/shared-etcd-certificate.ts'
import {
  leavesToRenew,
  type RenewalOptions,
  renewLeaves,
} from '../../../pki/plane/certificate-expiry.ts'
import { withPending } from '../../../pki/rotation/pending-rotation.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import { readPki, writePki } from './pki-files.ts'
import { renewSharedEtcdCertificate } from './shared-etcd-certificate.ts'

/**
 * Renews the leaf certificates of a plane that expire soon, and completes the files of an interrupted rotation. Returns
 * the file names of the renewed ones. Running components reload leaves themselves. The caller holds the plane's lock.
 */
export async function renewCertificates(
  folder: PlaneFolder,
  options: RenewalOptions,
): Promise<string[]> {
  const { pki } = folder
  const found = await readPki(pki)
  const files = withPending(found)
  const due = leavesToRenew(files, options)
  await writePki(pki, found, due.length > 0 ? { ...files, ...renewLeaves(files, options) } : files)
  const isRenewed = await renewSharedEtcdCertificate(folder, options)
  return isRenewed ? [...due, SHARED_ETCD_CERTIFICATE] : due
}
