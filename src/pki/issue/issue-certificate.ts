import { createPrivateKey, type X509Certificate } from 'node:crypto'
import { VplaneError } from '../../shared/errors.ts'
import {
  authorityKeyIdentifier,
  authorityKeyUsage,
  basicConstraints,
  type CertificateParts,
  certificateParts,
  type CertificateUsage,
  EXTENSION,
  extendedKeyUsage,
  leafKeyUsage,
  subjectAlternativeNames,
  subjectKeyIdentifier,
} from '../x509/certificate-extensions.ts'
import type { Authority } from './create-authority.ts'
import { type Asn1, bytesOf } from '../x509/der.ts'
import { distinguishedName } from '../x509/distinguished-name.ts'
import { parseCertificates } from '../x509/pem.ts'
import {
  createKeyPair,
  formatPrivateKey,
  type KeyAlgorithm,
  signCertificate,
} from '../x509/sign-certificate.ts'

/** A leaf certificate and its key (PKCS #8), PEM, and when it expires. */
export interface IssuedCertificate {
  certificate: string
  key: string
  expiresAt: Date
}

export interface CertificateRequest {
  /** Kubernetes reads it as the user. */
  commonName: string
  /** Kubernetes reads them as the groups. @default [] */
  organizations?: readonly string[]
  usages: readonly [CertificateUsage, ...CertificateUsage[]]
  /** Host names and IP addresses. @default [] */
  sans?: readonly string[]
  lifetimeMs: number
  algorithm: KeyAlgorithm
  now: Date
}

/**
 * Issues a leaf certificate with a new key, valid from five minutes ago (for clocks that are behind) to the end of its
 * lifetime, and never longer than the CA.
 *
 * @throws {VplaneError} `USAGE` when a name is empty or has control characters, `INVALID_SPEC` when a SAN is neither a
 *   host name nor an IP address, `FAILED` when the CA has expired or cannot be read.
 */
export function issueCertificate(
  authority: Authority,
  { sans = [], usages, ...request }: CertificateRequest,
): IssuedCertificate {
  return issueLeaf(authority, {
    ...request,
    subject: distinguishedName(request.commonName, request.organizations),
    extensions: [
      extendedKeyUsage(usages),
      ...(sans.length === 0 ? [] : [subjectAlternativeNames(sans)]),
    ],
  })
}

/** Issues a leaf again with a new key. @throws {VplaneError} `FAILED` when the CA has expired or cannot be read. */
export function reissueCertificate(
  authority: Authority,
  old: X509Certificate,
  options: Pick<LeafContent, 'lifetimeMs' | 'now'>,
): IssuedCertificate {
  const { extensions, subject } = certificateParts(old)
  return issueLeaf(authority, {
    ...options,
    subject,
    // Only these two, so that the new certificate does not inherit other permissions.
    extensions: extensions([EXTENSION.extendedKeyUsage, EXTENSION.subjectAlternativeName]),
    algorithm: algorithmOf(old),
  })
}

/**
 * Signs a CA's certificate, PEM, with the CA that clients trust: behind a leaf of the former, it makes these clients
 * trust the leaf. It expires as soon as one of both CAs does.
 *
 * @throws {VplaneError} `FAILED` when a certificate cannot be read.
 */
export function crossSign(trusted: Authority, certificate: string, now: Date): string {
  const [signer] = parseCertificates(trusted.certificate, 'the CA that signs')
  const [signed] = parseCertificates(certificate, 'the CA to be signed')
  const parts = certificateParts(signer)
  const publicKeyDer = signed.publicKey.export({ type: 'spki', format: 'der' })
  const expiries = [signer, signed].map(({ validToDate }) => validToDate.getTime())
  return signCertificate(
    { name: parts.subject, key: createPrivateKey(trusted.key) },
    {
      subject: certificateParts(signed).subject,
      publicKeyDer,
      now,
      notAfter: new Date(Math.min(...expiries)),
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
  extensions: readonly Asn1[]
}

function issueLeaf(
  authority: Authority,
  { algorithm, extensions, lifetimeMs, now, subject }: LeafContent,
): IssuedCertificate {
  const [certificateOfAuthority] = parseCertificates(authority.certificate, 'the CA')
  const parts = certificateParts(certificateOfAuthority)
  const { privateKey, publicKeyDer } = createKeyPair(algorithm)
  const expiresAt = expiryOf(certificateOfAuthority.validToDate, { now, lifetimeMs })
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

/** The identifiers of a certificate's key and of the key that signs it, as the CA's certificate has the latter. */
function keyIdentifiers(publicKeyDer: Buffer, signer: CertificateParts): Asn1[] {
  const identifier = signer.extensionValue(EXTENSION.subjectKeyIdentifier)
  return [
    subjectKeyIdentifier(publicKeyDer),
    ...(identifier === undefined ? [] : [authorityKeyIdentifier(bytesOf(identifier))]),
  ]
}

function expiryOf(
  authorityExpiry: Date,
  { lifetimeMs, now }: { lifetimeMs: number; now: Date },
): Date {
  if (authorityExpiry <= now) {
    throw new VplaneError('FAILED', `the CA expired at ${authorityExpiry.toISOString()}`)
  }
  const expiry = Math.min(now.getTime() + lifetimeMs, authorityExpiry.getTime())
  // Times in certificates have a precision of seconds.
  return new Date(Math.floor(expiry / 1000) * 1000)
}
