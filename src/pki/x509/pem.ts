import { X509Certificate } from 'node:crypto'
import { VplaneError } from '../../shared/errors.ts'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** PEM text of a DER encoding, in lines of 64 characters. */
export function toPem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

/** At least one certificate. @throws {VplaneError} `FAILED` with `source` when there is none, or one cannot be read. */
export function parseCertificates(
  pem: string,
  source: string,
): [X509Certificate, ...X509Certificate[]] {
  const [first, ...others] = pem.match(CERTIFICATE) ?? []
  if (first === undefined) {
    throw new VplaneError('FAILED', `there is no certificate in "${source}"`)
  }
  try {
    return [new X509Certificate(first), ...others.map((other) => new X509Certificate(other))]
  } catch (error) {
    throw new VplaneError('FAILED', `cannot read the certificate in "${source}"`, { cause: error })
  }
}

/** A leaf certificate with the chain of the one that it replaces: the certificates between it and a CA. */
export function withChainOf(former: string | undefined, leaf: string): string {
  const [, ...chain] = former === undefined ? [] : parseCertificates(former, 'a former certificate')
  return [leaf, ...chain.map(String)].join('')
}
