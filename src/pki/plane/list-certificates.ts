import { ENCRYPTION_FILE } from '../../control-plane/components/encryption-configuration.ts'
import type { PlaneCertificate } from '../../control-plane/driver/plane-certificates.ts'
import type { PkiFiles } from './certificate-expiry.ts'
import { parseCertificates } from '../x509/pem.ts'

const ORDER: ReadonlyArray<PlaneCertificate['kind']> = ['authority', 'leaf', 'key']

/**
 * Lists the certificates among files, and the keys without a certificate: CAs first, sorted by name.
 *
 * @throws {VplaneError} `FAILED` when a certificate cannot be read.
 */
export function listCertificates(files: PkiFiles): PlaneCertificate[] {
  const names = Object.keys(files)
  const certificates = names
    .filter((name) => name.endsWith('.crt'))
    .map((name) => describeCertificate(name, files[name] ?? ''))
  const keys = names
    .filter((name) => name === ENCRYPTION_FILE || isLoneKey(name, names))
    .map((name): PlaneCertificate => ({ name: name.replace(/\.\w+$/, ''), kind: 'key' }))
  return [...certificates, ...keys].toSorted(
    (left, right) =>
      ORDER.indexOf(left.kind) - ORDER.indexOf(right.kind) || left.name.localeCompare(right.name),
  )
}

function isLoneKey(name: string, names: readonly string[]): boolean {
  return name.endsWith('.key') && !names.includes(name.replace(/\.key$/, '.crt'))
}

function describeCertificate(file: string, text: string): PlaneCertificate {
  const bundle = parseCertificates(text, file)
  const [first] = bundle
  return {
    name: file.replace(/\.crt$/, ''),
    kind: first.ca ? 'authority' : 'leaf',
    subject: [...new Set(bundle.map(commonNameOf))].join(', '),
    expiresAt: new Date(Math.min(...bundle.map(({ validToDate }) => validToDate.getTime()))),
  }
}

function commonNameOf({ subject }: { subject: string }): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ')
}
