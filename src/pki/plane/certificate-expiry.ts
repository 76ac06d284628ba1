import type { X509Certificate } from 'node:crypto'
import { isEndingWithin } from '../../control-plane/status/certificate-ends.ts'
import { SHARED_ETCD_CERTIFICATE } from '../../control-plane/store/shared-etcd-certificate.ts'
import { VplaneError } from '../../shared/errors.ts'
import { certificateFiles } from './certificate-files.ts'
import type { Authority } from '../issue/create-authority.ts'
import { LEAF_LIFETIME_MS, RENEW_WITHIN_MS } from '../issue/lifetimes.ts'
import { parseCertificates, withChainOf } from '../x509/pem.ts'
import { reissueCertificate } from '../issue/issue-certificate.ts'

/** Files by their relative names, with `.crt` for certificates and `.key` for their keys. */
export type PkiFiles = Readonly<Record<string, string>>

export interface RenewalOptions {
  now: Date
  /** Leaf certificates that expire within this time are due. @default 90 days */
  withinMs?: number
}

/**
 * When the first of all certificates expires, including CAs and the members of bundles; undefined without certificates.
 *
 * @throws {VplaneError} `FAILED` when a certificate cannot be read.
 */
export function earliestExpiry(files: PkiFiles): Date | undefined {
  const expiries = certificateNames(files).flatMap((name) =>
    parseCertificates(files[name] ?? '', name).map(({ validToDate }) => validToDate.getTime()),
  )
  return expiries.length === 0 ? undefined : new Date(Math.min(...expiries))
}

/**
 * The sorted names of the leaf certificates that expire soon and that would expire later after a renewal.
 *
 * @throws {VplaneError} `FAILED` when a certificate cannot be read.
 */
export function leavesToRenew(files: PkiFiles, options: RenewalOptions): string[] {
  const { now, withinMs = RENEW_WITHIN_MS } = options
  return certificateNames(files)
    .filter((name) => name !== SHARED_ETCD_CERTIFICATE)
    .filter((name) => {
      const leaf = readFile(files, name)
      const isDue = isEndingWithin(withinMs, leaf.validToDate, now)
      return !leaf.ca && isDue && canExpireLater(files, { leaf, now })
    })
    .sort()
}

/**
 * Issues the leaf certificates that expire soon again, with new keys and the same subject, names, usages and CAs. The
 * result has only the files that change.
 *
 * @throws {VplaneError} `FAILED` when a CA or its key is missing, or a certificate cannot be read.
 */
export function renewLeaves(
  files: PkiFiles,
  options: RenewalOptions & {
    /** @default 1 year */
    lifetimeMs?: number
  },
): Record<string, string> {
  const { lifetimeMs = LEAF_LIFETIME_MS, now } = options
  const renewed = leavesToRenew(files, options).map((name) => {
    const leaf = readFile(files, name)
    const authority = authorityOf(files, leaf)
    if (authority === undefined) {
      throw new VplaneError('FAILED', `cannot renew "${name}": its CA and the CA's key are missing`)
    }
    const issued = reissueCertificate(authority, leaf, { lifetimeMs, now })
    const certificate = withChainOf(files[name], issued.certificate)
    return certificateFiles(name.replace(/\.crt$/, ''), { ...issued, certificate })
  })
  return Object.assign({}, ...renewed)
}

/** Whether a renewal helps: a leaf certificate that expires together with its CA needs a rotation of the CA instead. */
function canExpireLater(files: PkiFiles, { leaf, now }: { leaf: X509Certificate; now: Date }) {
  const authority = authorityOf(files, leaf)
  if (authority === undefined) {
    return true
  }
  const [{ validToDate }] = parseCertificates(authority.certificate, 'the CA')
  return validToDate > leaf.validToDate && validToDate > now
}

/** The CA that signed a certificate, if its key is among the files. */
function authorityOf(files: PkiFiles, leaf: X509Certificate): Authority | undefined {
  for (const name of certificateNames(files)) {
    const certificate = readFile(files, name)
    const key = files[name.replace(/\.crt$/, '.key')]
    const isIssuer = certificate.ca && leaf.checkIssued(certificate)
    if (key !== undefined && isIssuer && leaf.verify(certificate.publicKey)) {
      return { certificate: certificate.toString(), key }
    }
  }
  return undefined
}

function certificateNames(files: PkiFiles): string[] {
  return Object.keys(files).filter((name) => name.endsWith('.crt'))
}

function readFile(files: PkiFiles, name: string): X509Certificate {
  return parseCertificates(files[name] ?? '', name)[0]
}
