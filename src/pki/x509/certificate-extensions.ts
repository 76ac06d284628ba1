import { createHash } from 'node:crypto'
import { VplaneError } from '../../shared/errors.ts'
import type { Asn1 } from './der.ts'
import { bitString, isTrue, objectIdentifier, octetString, sequence, tagged, toDer } from './der.ts'
import { toHostName } from '../../shared/network/host-name.ts'
import { ipAddressBytes } from './ip-address.ts'

/** The extensions of X.509 that are used here, by their object identifiers. */
export const EXTENSION = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const

const PURPOSES = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' } as const

/** What a leaf certificate may be used for. */
export type CertificateUsage = keyof typeof PURPOSES

const DNS_NAME = 2
const IP_ADDRESS = 7

/** Says whether the certificate may sign others. Critical. */
export function basicConstraints({ isAuthority }: { isAuthority: boolean }): Asn1 {
  return critical(EXTENSION.basicConstraints, sequence(isAuthority ? [isTrue()] : []))
}

/** What the key of a CA may do: sign certificates, revocation lists and anything else. Critical. */
export function authorityKeyUsage(): Asn1 {
  return critical(EXTENSION.keyUsage, bitString(Buffer.from([0b1000_0110]), 1))
}

/** What the key of a leaf may do: sign, and with RSA also take the client's secret of old TLS key exchanges. Critical. */
export function leafKeyUsage(algorithm: 'ecdsa' | 'rsa'): Asn1 {
  const bits =
    algorithm === 'rsa'
      ? bitString(Buffer.from([0b1010_0000]), 5)
      : bitString(Buffer.from([0b1000_0000]), 7)
  return critical(EXTENSION.keyUsage, bits)
}

/** What the certificate may be used for; clients and servers refuse it for anything else. */
export function extendedKeyUsage(usages: readonly CertificateUsage[]): Asn1 {
  const purposes = [...new Set(usages)].map((usage) => objectIdentifier(PURPOSES[usage]))
  return extension(EXTENSION.extendedKeyUsage, sequence(purposes))
}

/** Names the certificate's own key (RFC 7093, section 2, method 4). */
export function subjectKeyIdentifier(publicKeyDer: Buffer): Asn1 {
  const identifier = createHash('sha256').update(publicKeyDer).digest().subarray(0, 20)
  return extension(EXTENSION.subjectKeyIdentifier, octetString(identifier))
}

/** Names the key that signed the certificate. */
export function authorityKeyIdentifier(identifier: Buffer): Asn1 {
  return extension(EXTENSION.authorityKeyIdentifier, sequence([tagged(0, identifier)]))
}

/**
 * The host names and IP addresses of a certificate, without doubles.
 *
 * @throws {VplaneError} `INVALID_SPEC` when one is neither.
 */
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
