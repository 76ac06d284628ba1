import { createPrivateKey } from 'node:crypto'
import {
  authorityKeyIdentifier,
  authorityKeyUsage,
  basicConstraints,
  EXTENSION,
  subjectKeyIdentifier,
} from '../x509/certificate-extensions.ts'
import { certificateParts } from '../x509/certificate-parts.ts'
import type { Authority } from './create-authority.ts'
import { bytesOf } from '../x509/der.ts'
import { parseCertificates } from '../x509/pem.ts'
import { signCertificate } from '../x509/sign-certificate.ts'

/**
 * A certificate for the key of one CA that another one has signed, PEM: behind a leaf of the first it makes whoever trusts
 * the second trust the leaf. It ends with the first of both.
 *
 * @param trusted the CA that clients trust
 * @param certificate that of the CA that issues, PEM
 * @throws {VplaneError} `FAILED` when a certificate cannot be read.
 */
export function crossSign(trusted: Authority, certificate: string, now: Date): string {
  const [signer] = parseCertificates(trusted.certificate, 'the CA that signs')
  const [signed] = parseCertificates(certificate, 'the CA to be signed')
  const signerParts = certificateParts(signer)
  const identifier = signerParts.extensionValue(EXTENSION.subjectKeyIdentifier)
  const publicKeyDer = signed.publicKey.export({ type: 'spki', format: 'der' })
  const ends = [signer, signed].map(({ validToDate }) => validToDate.getTime())
  return signCertificate(
    { name: signerParts.subject, key: createPrivateKey(trusted.key) },
    {
      subject: certificateParts(signed).subject,
      publicKeyDer,
      now,
      notAfter: new Date(Math.min(...ends)),
      extensions: [
        basicConstraints({ isAuthority: true }),
        authorityKeyUsage(),
        subjectKeyIdentifier(publicKeyDer),
        ...(identifier === undefined ? [] : [authorityKeyIdentifier(bytesOf(identifier))]),
      ],
    },
  )
}
