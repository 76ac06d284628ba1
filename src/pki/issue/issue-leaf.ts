import { createPrivateKey } from 'node:crypto'
import { VplaneError } from '../../shared/errors.ts'
import {
  authorityKeyIdentifier,
  basicConstraints,
  EXTENSION,
  leafKeyUsage,
  subjectKeyIdentifier,
} from '../x509/certificate-extensions.ts'
import { certificateParts } from '../x509/certificate-parts.ts'
import type { Authority } from './create-authority.ts'
import type { Asn1 } from '../x509/der.ts'
import { bytesOf } from '../x509/der.ts'
import type { KeyAlgorithm } from '../x509/key-pair.ts'
import { createKeyPair, formatPrivateKey } from '../x509/key-pair.ts'
import { parseCertificates } from '../x509/pem.ts'
import { signCertificate } from '../x509/sign-certificate.ts'

/** A leaf certificate and its key (PKCS #8), PEM, and its end. */
export interface IssuedCertificate {
  certificate: string
  key: string
  expiresAt: Date
}

/** What a leaf certificate says, with its names and usages in ASN.1. */
export interface LeafContent {
  subject: Asn1
  /** What it is for and which hosts it speaks for. */
  extensions: readonly Asn1[]
  lifetimeMs: number
  algorithm: KeyAlgorithm
  now: Date
}

/**
 * Makes a key and a leaf certificate for it that ends after its lifetime, or with the CA when that is earlier.
 *
 * @throws {VplaneError} `FAILED` when the CA has ended or its certificate cannot be read.
 */
export function issueLeaf(authority: Authority, content: LeafContent): IssuedCertificate {
  const { algorithm, extensions, lifetimeMs, now, subject } = content
  const [certificateOfAuthority] = parseCertificates(authority.certificate, 'the CA')
  const parts = certificateParts(certificateOfAuthority)
  const { privateKey, publicKeyDer } = createKeyPair(algorithm)
  const expiresAt = endOf(certificateOfAuthority.validToDate, { now, lifetimeMs })
  const identifier = parts.extensionValue(EXTENSION.subjectKeyIdentifier)
  const certificate = signCertificate(
    { name: parts.subject, key: createPrivateKey(authority.key) },
    {
      subject,
      publicKeyDer,
      now,
      notAfter: expiresAt,
      extensions: [
        basicConstraints({ isAuthority: false }),
        leafKeyUsage(algorithm),
        ...extensions,
        subjectKeyIdentifier(publicKeyDer),
        ...(identifier === undefined ? [] : [authorityKeyIdentifier(bytesOf(identifier))]),
      ],
    },
  )
  return { certificate, key: formatPrivateKey(privateKey), expiresAt }
}

function endOf(endOfAuthority: Date, { lifetimeMs, now }: { lifetimeMs: number; now: Date }): Date {
  if (endOfAuthority <= now) {
    throw new VplaneError('FAILED', `the CA ended at ${endOfAuthority.toISOString()}`)
  }
  const end = Math.min(now.getTime() + lifetimeMs, endOfAuthority.getTime())
  // Certificates count in seconds.
  return new Date(Math.floor(end / 1000) * 1000)
}
