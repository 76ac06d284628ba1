import { createHash, type X509Certificate } from 'node:crypto'
import { VplaneError } from '../../shared/errors.ts'
import {
  type Asn1,
  bitString,
  bytesOf,
  fromDer,
  isTagged,
  isTrue,
  itemsOf,
  objectIdentifier,
  octetString,
  sequence,
  tagged,
  toDer,
} from './der.ts'
import { toHostName } from '../../shared/network/host-name.ts'
import { ipAddressBytes } from './ip-address.ts'

/** The object identifiers of the X.509 extensions that vplane uses. */
export const EXTENSION = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const

const PURPOSES = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' } as const

export type CertificateUsage = keyof typeof PURPOSES

const DNS_NAME = 2
const IP_ADDRESS = 7

/** Whether the certificate may sign others. Critical. */
export function basicConstraints({ isAuthority }: { isAuthority: boolean }): Asn1 {
  return critical(EXTENSION.basicConstraints, sequence(isAuthority ? [isTrue()] : []))
}

/** The key of a CA may sign certificates, revocation lists and anything else. Critical. */
export function authorityKeyUsage(): Asn1 {
  return critical(EXTENSION.keyUsage, bitString(Buffer.from([0b1000_0110]), 1))
}

/** The key of a leaf may sign, and with RSA also decrypt the client's secret of old TLS key exchanges. Critical. */
export function leafKeyUsage(algorithm: 'ecdsa' | 'rsa'): Asn1 {
  const bits =
    algorithm === 'rsa'
      ? bitString(Buffer.from([0b1010_0000]), 5)
      : bitString(Buffer.from([0b1000_0000]), 7)
  return critical(EXTENSION.keyUsage, bits)
}

/** The usages of the certificate; clients and servers refuse it for any other. */
export function extendedKeyUsage(usages: readonly CertificateUsage[]): Asn1 {
  const purposes = [...new Set(usages)].map((usage) => objectIdentifier(PURPOSES[usage]))
  return extension(EXTENSION.extendedKeyUsage, sequence(purposes))
}

/** Identifies the certificate's own key (RFC 7093, section 2, method 4). */
export function subjectKeyIdentifier(publicKeyDer: Buffer): Asn1 {
  const identifier = createHash('sha256').update(publicKeyDer).digest().subarray(0, 20)
  return extension(EXTENSION.subjectKeyIdentifier, octetString(identifier))
}

/** Identifies the key that signed the certificate. */
export function authorityKeyIdentifier(identifier: Buffer): Asn1 {
  return extension(EXTENSION.authorityKeyIdentifier, sequence([tagged(0, identifier)]))
}

/** The host names and IP addresses, each once. @throws {VplaneError} `INVALID_SPEC` when one is neither. */
export function subjectAlternativeNames(sans: readonly string[]): Asn1 {
  const names = new Map(
    sans.map((san) => {
      const name = toGeneralName(san)
      return [toDer(name).toString('hex'), name]
    }),
  )
  return extension(EXTENSION.subjectAlternativeName, sequence([...names.values()]))
}

function toGeneralName(san: string): Asn1 {
  const address = ipAddressBytes(san)
  if (address !== undefined) {
    return tagged(IP_ADDRESS, address)
  }
  const name = toHostName(san)
  if (name === undefined) {
    throw new VplaneError(
      'INVALID_SPEC',
      `the certificate name ${JSON.stringify(san)} is neither a host name nor an IP address`,
    )
  }
  return tagged(DNS_NAME, Buffer.from(name, 'latin1'))
}

function critical(identifier: string, value: Asn1): Asn1 {
  return sequence([objectIdentifier(identifier), isTrue(), octetString(toDer(value))])
}

function extension(identifier: string, value: Asn1): Asn1 {
  return sequence([objectIdentifier(identifier), octetString(toDer(value))])
}

/** The parts of a certificate that are copied into others byte for byte. */
export interface CertificateParts {
  subject: Asn1
  /** The value inside of an extension; undefined when the certificate does not have it. */
  extensionValue: (identifier: string) => Asn1 | undefined
  /** Those of these extensions that the certificate has. */
  extensions: (identifiers: readonly string[]) => Asn1[]
}

/** Parses a certificate that node:crypto has read. */
export function certificateParts(certificate: X509Certificate): CertificateParts {
  // Certificate = [TBSCertificate, algorithm, signature];
  // TBSCertificate = [[0] version, serial, algorithm, issuer, validity, subject, key, ..., [3] extensions]
  const fields = itemsOf(itemsOf(fromDer(certificate.raw))[0])
  const subject = fields[5]
  if (subject === undefined) {
    throw new Error('a certificate of version 3 has a subject as its sixth field')
  }
  const all = itemsOf(itemsOf(fields.find((field) => isTagged(field, 3)))[0])
  const find = (identifier: string) => {
    const wanted = bytesOf(objectIdentifier(identifier))
    return all.find((extension) => bytesOf(itemsOf(extension)[0]).equals(wanted))
  }
  return {
    subject,
    extensions: (identifiers) => identifiers.map(find).filter((found) => found !== undefined),
    extensionValue: (identifier) => {
      const extension = find(identifier)
      return extension === undefined ? undefined : fromDer(bytesOf(itemsOf(extension).at(-1)))
    },
  }
}
