import {
  authorityKeyUsage,
  basicConstraints,
  subjectKeyIdentifier,
} from '../x509/certificate-extensions.ts'
import { distinguishedName } from '../x509/distinguished-name.ts'
import { AUTHORITY_LIFETIME_MS } from './lifetimes.ts'
import {
  createKeyPair,
  formatPrivateKey,
  type KeyAlgorithm,
  signCertificate,
} from '../x509/sign-certificate.ts'

/** A CA: its certificate and its key (PKCS #8), PEM. */
export interface Authority {
  certificate: string
  key: string
}

/** Creates a CA for 10 years. @throws {VplaneError} `USAGE` when its name is empty or has control characters. */
export function createAuthority({
  commonName,
  algorithm,
  now,
}: {
  commonName: string
  algorithm: KeyAlgorithm
  now: Date
}): Authority {
  const { privateKey, publicKeyDer } = createKeyPair(algorithm)
  const name = distinguishedName(commonName)
  const certificate = signCertificate(
    { name, key: privateKey },
    {
      subject: name,
      publicKeyDer,
      now,
      notAfter: new Date(now.getTime() + AUTHORITY_LIFETIME_MS),
      extensions: [
        basicConstraints({ isAuthority: true }),
        authorityKeyUsage(),
        subjectKeyIdentifier(publicKeyDer),
      ],
    },
  )
  return { certificate, key: formatPrivateKey(privateKey) }
}
