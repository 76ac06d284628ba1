import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import {
  type Asn1,
  bitString,
  fromDer,
  integer,
  none,
  objectIdentifier,
  sequence,
  tagged,
  taggedList,
  time,
  toDer,
} from './der.ts'
import { toPem } from './pem.ts'

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'
const SHA256_WITH_RSA = '1.2.840.113549.1.1.11'
const VERSION_3 = Buffer.from([2])
const VERSION_1 = Buffer.from([0])

/** How long before its creation a certificate is already valid, for machines whose clocks are behind. */
const CLOCK_SKEW_MS = 5 * 60 * 1000

interface CertificateContent {
  subject: Asn1
  publicKeyDer: Buffer
  now: Date
  notAfter: Date
  extensions: readonly Asn1[]
}

/** Creates a certificate that is signed with the issuer's key, PEM. */
export function signCertificate(
  issuer: { name: Asn1; key: KeyObject },
  content: CertificateContent,
): string {
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
  return toPem('CERTIFICATE', signed(toBeSigned, issuer.key))
}

/** Creates a request for a certificate (PKCS #10) that is signed with its own key, PEM. */
export function signCertificateRequest(
  { publicKeyDer, subject }: Pick<CertificateContent, 'publicKeyDer' | 'subject'>,
  key: KeyObject,
): string {
  const noAttributes = taggedList(0, [])
  const toBeSigned = sequence([integer(VERSION_1), subject, fromDer(publicKeyDer), noAttributes])
  return toPem('CERTIFICATE REQUEST', signed(toBeSigned, key))
}

function signed(toBeSigned: Asn1, key: KeyObject): Buffer {
  const signature = sign('sha256', toDer(toBeSigned), key)
  return toDer(sequence([toBeSigned, signatureAlgorithm(key), bitString(signature)]))
}

/** 128 bits whose first two are fixed, so that the number is positive and always has 16 bytes. */
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

/** The keys of certificates: ECDSA on P-256 (created in 0.1 ms) or RSA with 2048 bits (about 40 ms). */
export type KeyAlgorithm = 'ecdsa' | 'rsa'

/** Creates a key for one certificate; its public half is a SubjectPublicKeyInfo in DER. */
export function createKeyPair(algorithm: KeyAlgorithm): {
  privateKey: KeyObject
  publicKeyDer: Buffer
} {
  const { privateKey, publicKey } =
    algorithm === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { privateKey, publicKeyDer: publicKey.export({ type: 'spki', format: 'der' }) }
}

/** The PEM text (PKCS #8) of a private key. */
export function formatPrivateKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}
