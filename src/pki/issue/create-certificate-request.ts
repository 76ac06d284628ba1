import { distinguishedName } from '../x509/distinguished-name.ts'
import {
  createKeyPair,
  formatPrivateKey,
  type KeyAlgorithm,
  signCertificateRequest,
} from '../x509/sign-certificate.ts'

/**
 * A request for a client certificate with a new key (PKCS #10 and PKCS #8, PEM). Kubernetes reads the names as user and
 * groups.
 *
 * @throws {VplaneError} `USAGE` when a name is empty or has control characters.
 */
export function createCertificateRequest({
  algorithm,
  groups,
  user,
}: {
  user: string
  groups: readonly string[]
  algorithm: KeyAlgorithm
}): { request: string; key: string } {
  const { privateKey, publicKeyDer } = createKeyPair(algorithm)
  const subject = distinguishedName(user, groups)
  return {
    request: signCertificateRequest({ subject, publicKeyDer }, privateKey),
    key: formatPrivateKey(privateKey),
  }
}
