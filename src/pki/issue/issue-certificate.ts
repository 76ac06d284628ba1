import { createPrivateKey, type X509Certificate } from 'node:crypto'
import { VplaneError } from '../../shared/errors.ts'
import {
  authorityKeyIdentifier,
  authorityKeyUsage,
  basicConstraints,
  type CertificateUsage,
  EXTENSION,
  extendedKeyUsage,
  leafKeyUsage,
  subjectAlternativeNames,
  subjectKeyIdentifier,
} from '../x509/certificate-extensions.ts'
import { type CertificateParts, certificateParts } from '../x509/certificate-parts.ts'
import type { Authority } from './create-authority.ts'
import { type Asn1, bytesOf } from '../x509/der.ts'
import { distinguishedName } from '../x509/distinguished-name.ts'
import { createKeyPair, formatPrivateKey, type KeyAlgorithm } from '../x509/key-pair.ts'
import { parseCertificates } from '../x509/pem.ts'
import { signCertificate } from '../x509/sign-certificate.ts'

/** A leaf certificate and its key (PKCS #8), PEM, and its end. */
export interface IssuedCertificate {
  certificate: string
  key: string
  expiresAt: Date
}

/** What a leaf certificate is to say. */
export interface CertificateRequest {
  /** To Kubernetes: the user. */
  commonName: string
  /** To Kubernetes: the groups. @default [] */
  organizations?: readonly string[]
  usages: readonly [CertificateUsage, ...CertificateUsage[]]
  /** Host names and IP addresses. @default [] */
  sans?: readonly string[]
  lifetimeMs: number
  algorithm: KeyAlgorithm
  now: Date
}

/**
 * Issues a leaf certificate with a key of its own, valid from five minutes ago (for clocks that are behind) to the end
 * of its lifetime, and never longer than the CA.
 *
 * @throws {VplaneError} `USAGE` when a name is empty or has control characters, `INVALID_SPEC` when a SAN is neither a
 * host name nor an IP address, `FAILED` when the CA has ended or cannot be read.
 */
export function issueCertificate(
  authority: Authority,
  { sans = [], usages, ...request }: CertificateRequest,
): IssuedCertificate {
  return issueLeaf(authority, {
    ...request,
    subject: distinguishedName(request),
    extensions: [
      extendedKeyUsage(usages),
      ...(sans.length === 0 ? [] : [subjectAlternativeNames(sans)]),
    ],
  })
}

/**
 * Issues a leaf certificate that says the same as an older one, with a new key of the same kind.
 *
 * @throws {VplaneError} `FAILED` when the CA has ended or cannot be read.
 */
export function reissueCertificate(
  authority: Authority,
  old: X509Certificate,
  options: Pick<LeafContent, 'lifetimeMs' | 'now'>,
): IssuedCertificate {
  const { extensions, subject } = certificateParts(old)
  return issueLeaf(authority, {
    ...options,
    subject,
    // Only these two: whatever else an extension may grant is not handed on.
    extensions: extensions([EXTENSION.extendedKeyUsage, EXTENSION.subjectAlternativeName]),
    algorithm: algorithmOf(old),
  })
}

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
  const parts = certificateParts(signer)
  const publicKeyDer = signed.publicKey.export({ type: 'spki', format: 'der' })
  const ends = [signer, signed].map(({ validToDate }) => validToDate.getTime())
  return signCertificate(
    { name: parts.subject, key: createPrivateKey(trusted.key) },
    {
      subject: certificateParts(signed).subject,
      publicKeyDer,
      now,
      notAfter: new Date(Math.min(...ends)),
      extensions: [
        basicConstraints({ isAuthority: true }),
        authorityKeyUsage(),
        ...keyIdentifiers(publicKeyDer, parts),
      ],
    },
  )
}

/** The kind of a certificate's key. */
export function algorithmOf({ publicKey }: X509Certificate): KeyAlgorithm {
  return publicKey.asymmetricKeyType === 'rsa' ? 'rsa' : 'ecdsa'
}

interface LeafContent extends Pick<CertificateRequest, 'algorithm' | 'lifetimeMs' | 'now'> {
  subject: Asn1
  /** What it is for and which hosts it speaks for. */
  extensions: readonly Asn1[]
}

function issueLeaf(
  authority: Authority,
  { algorithm, extensions, lifetimeMs, now, subject }: LeafContent,
): IssuedCertificate {
  const [certificateOfAuthority] = parseCertificates(authority.certificate, 'the CA')
  const parts = certificateParts(certificateOfAuthority)
  const { privateKey, publicKeyDer } = createKeyPair(algorithm)
  const expiresAt = endOf(certificateOfAuthority.validToDate, { now, lifetimeMs })
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
        ...keyIdentifiers(publicKeyDer, parts),
      ],
    },
  )
  return { certificate, key: formatPrivateKey(privateKey), expiresAt }
}

/** Names a certificate's own key, and the key of the CA that signs it as that is named there. */
function keyIdentifiers(publicKeyDer: Buffer, signer: CertificateParts): Asn1[] {
  const identifier = signer.extensionValue(EXTENSION.subjectKeyIdentifier)
  return [
    subjectKeyIdentifier(publicKeyDer),
    ...(identifier === undefined ? [] : [authorityKeyIdentifier(bytesOf(identifier))]),
  ]
}

function endOf(endOfAuthority: Date, { lifetimeMs, now }: { lifetimeMs: number; now: Date }): Date {
  if (endOfAuthority <= now) {
    throw new VplaneError('FAILED', `the CA ended at ${endOfAuthority.toISOString()}`)
  }
  const end = Math.min(now.getTime() + lifetimeMs, endOfAuthority.getTime())
  // Certificates count in seconds.
  return new Date(Math.floor(end / 1000) * 1000)
}
