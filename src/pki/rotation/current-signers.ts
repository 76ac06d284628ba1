import { createHash, createPublicKey } from 'node:crypto'
import { parseCertificates } from '../x509/pem.ts'

/** What credentials that a plane issues now show. */
export interface Signers {
  /** The issuer of certificates that the plane signs. */
  certificates: string
  /** The id of the key that signs tokens. */
  tokens: string
}

/** @throws {VplaneError} `FAILED` when the certificate of the CA cannot be read. */
export function currentSigners({
  publicKeys,
  signingAuthority,
}: {
  /** `signing-ca.crt`. */
  signingAuthority: string
  /** `sa.pub`: the first key signs. */
  publicKeys: string
}): Signers {
  const [authority] = parseCertificates(signingAuthority, 'signing-ca.crt')
  return { certificates: authority.subject, tokens: keyIdOf(publicKeys) }
}

/** As kube-apiserver computes the id of a key (pkg/serviceaccount/jwt.go). */
function keyIdOf(publicKeys: string): string {
  const der = createPublicKey(publicKeys).export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('base64url')
}
