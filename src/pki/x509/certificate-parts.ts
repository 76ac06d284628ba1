import type { X509Certificate } from 'node:crypto'
import type { Asn1 } from './der.ts'
import { bytesOf, fromDer, isTagged, itemsOf, objectIdentifier } from './der.ts'

/** The parts of a certificate that go into others byte for byte. */
export interface CertificateParts {
  subject: Asn1
  /** The value inside of an extension; undefined when the certificate does not have it. */
  extensionValue: (identifier: string) => Asn1 | undefined
  /** The whole extensions with these identifiers that the certificate has. */
  extensions: (identifiers: readonly string[]) => Asn1[]
}

/** Opens a certificate that node:crypto has read. */
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
