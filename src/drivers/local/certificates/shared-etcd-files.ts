import { readFile } from 'node:fs/promises'
import { SHARED_ETCD_CERTIFICATE } from '../../../control-plane/store/shared-etcd-certificate.ts'
import type { PkiFiles } from '../../../pki/plane/certificate-expiry.ts'
import { unlessErrorCode } from '../../../shared/errors.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'

/** The certificate that vplane has issued for a shared etcd. @default the plane has none */
export async function sharedEtcdFiles({ sharedEtcd }: PlaneFolder): Promise<PkiFiles> {
  const text = await unlessErrorCode(['ENOENT'], readFile(sharedEtcd.certificate, 'utf8'))
  return text === undefined ? {} : { [SHARED_ETCD_CERTIFICATE]: text }
}
