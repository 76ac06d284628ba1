import type { KeyObject } from 'node:crypto'
import { randomBytes, sign } from 'node:crypto'
import type { Asn1 } from './der.ts'
import {
  bitString,
  fromDer,
  integer,
  none,
  objectIdentifier,
  sequence,
  tagged,
  time,
  toDer,
} from './der.ts'
import { toPem } from './pem.ts'

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'
const SHA256_WITH_RSA = '1.2.840.113549.1.1.11'
const VERSION_3 = Buffer.from([2])

/** Time by which certificates are valid before they are made, for machines whose clocks are behind. */
const CLOCK_SKEW_MS = 5 * 60 * 1000

/** Who signs: the name that stands in the certificate, and the key. */
export interface Issuer {
  name: Asn1
  key: KeyObject
}

/** What a certificate says, apart from its serial number and who signed it. */
export interface CertificateContent {
  subject: Asn1
  publicKeyDer: Buffer
  now: Date
  notAfter: Date
  extensions: readonly Asn1[]
}

/** A certificate with this content, signed with the issuer's key, PEM. */
export function signCertificate(issuer: Issuer, content: CertificateContent): string {
  const algorithm = signatureAlgorithm(issuer.key)
  const toBeSigned = sequence([
    tagged(0, integer(VERSION_3)),
    integer(serialNumber()),
    algorithm,
    issuer.name,
    sequence([time(new Date(content.now.getTime() - CLOCK_SKEW_MS)), time(content.notAfter)]),
    content.subject,
    fromDer(content.publicKeyDer),
    tagged(3, sequence(content.extensions)),
  ])
  const signature = sign('sha256', toDer(toBeSigned), issuer.key)
  return toPem('CERTIFICATE', toDer(sequence([toBeSigned, algorithm, bitString(signature)])))
}

/** 128 bits of which the first two are fixed, so that the number is positive and always 16 bytes long. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0b0011_1111) | 0b0100_0000
  return bytes
}

function signatureAlgorithm({ asymmetricKeyType }: KeyObject): Asn1 {
  if (asymmetricKeyType === 'ec') {
    return sequence([objectIdentifier(ECDSA_WITH_SHA256)])
  }
  if (asymmetricKeyType === 'rsa') {
    return sequence([objectIdentifier(SHA256_WITH_RSA), none()])
  }
  throw new Error(`cannot sign certificates with a key of type ${asymmetricKeyType}`)
}
