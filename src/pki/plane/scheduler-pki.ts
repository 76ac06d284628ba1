import { certificateFiles } from './certificate-files.ts'
import type { Authority } from '../issue/create-authority.ts'
import { issueCertificate } from '../issue/issue-certificate.ts'
import type { KeyAlgorithm } from '../x509/key-pair.ts'
import { LEAF_LIFETIME_MS } from '../issue/lifetimes.ts'

/** What the certificates of a plane's own scheduler depend on. */
export interface SchedulerPkiOptions {
  /** The plane's CA. */
  authority: Authority
  algorithm: KeyAlgorithm
  now: Date
}

/** The certificates and keys of a plane's own kube-scheduler, by relative file name. */
export function createSchedulerPki({
  algorithm,
  authority,
  now,
}: SchedulerPkiOptions): Record<string, string> {
  const common = { lifetimeMs: LEAF_LIFETIME_MS, algorithm, now }
  return {
    ...certificateFiles(
      'scheduler',
      issueCertificate(authority, {
        ...common,
        commonName: 'system:kube-scheduler',
        usages: ['clientAuth'],
      }),
    ),
    ...certificateFiles(
      'scheduler-server',
      issueCertificate(authority, {
        ...common,
        commonName: 'kube-scheduler',
        usages: ['serverAuth'],
        sans: ['localhost', '127.0.0.1'],
      }),
    ),
  }
}
