import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClientCredential, Identity } from '../../../control-plane/plane/plane.ts'
import { type CertificateRequest, issueCertificate } from '../../../pki/issue/issue-certificate.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'

/** Signs a client certificate with the CA of a plane. */
export async function issueCredential(
  { pki }: PlaneFolder,
  { groups, user }: Identity,
  options: Pick<CertificateRequest, 'algorithm' | 'lifetimeMs' | 'now'>,
): Promise<ClientCredential> {
  const [certificate, key] = await Promise.all(
    ['ca.crt', 'ca.key'].map((file) => readFile(join(pki, file), 'utf8')),
  )
  return issueCertificate(
    { certificate: certificate ?? '', key: key ?? '' },
    { commonName: user, organizations: [...groups], usages: ['clientAuth'], ...options },
  )
}
