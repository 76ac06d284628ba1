import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'

/** Tells whether a server certificate is for these host names and addresses, and for no others. */
export function isFor(certificate: string, sans: readonly string[]): boolean {
  const parsed = new X509Certificate(certificate)
  const names = (parsed.subjectAltName ?? '').split(', ').filter((name) => name !== '')
  return (
    names.length === sans.length &&
    sans.every((san) =>
      isIP(san) === 0 ? names.includes(`DNS:${san}`) : parsed.checkIP(san) !== undefined,
    )
  )
}
