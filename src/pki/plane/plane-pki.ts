import { FRONT_PROXY_USER } from '../../control-plane/sync/prepare-sync.ts'
import { certificateFiles } from './certificate-files.ts'
import type { Authority } from '../issue/create-authority.ts'
import { createAuthority } from '../issue/create-authority.ts'
import { issueCertificate } from '../issue/issue-certificate.ts'
import { keptFiles } from './kept-files.ts'
import type { KeyAlgorithm } from '../x509/key-pair.ts'
import { LEAF_LIFETIME_MS } from '../issue/lifetimes.ts'
import { createServiceAccountKeys, type ServiceAccountKeys } from './service-account-keys.ts'

/** What the PKI of a plane depends on. */
export interface PlanePkiOptions {
  algorithm: KeyAlgorithm
  now: Date
  /** Host names and addresses of kube-apiserver. */
  serverSans: readonly string[]
  /** Keys of ServiceAccount tokens that were made beforehand. @default made now */
  serviceAccountKeys?: Promise<ServiceAccountKeys>
  /** Files of the same plane elsewhere, see `keptFiles`: what they hold is not made anew. @default none */
  kept?: Readonly<Record<string, string>> | undefined
}

/**
 * The certificates and keys of kube-apiserver and kube-controller-manager by relative file name.
 *
 * There are three CAs: `ca` for the plane, `signing-ca` for the CSRs that kube-controller-manager signs (so that its
 * key is the only one a component holds), and `front-proxy-ca` for the aggregation layer. `client-ca.crt` is the
 * bundle of those whose clients kube-apiserver trusts, `sa.pub` the list of keys whose ServiceAccount tokens it takes.
 *
 * @throws {VplaneError} `INVALID_SPEC` when a SAN is neither a host name nor an IP address.
 */
export async function createPlanePki(options: PlanePkiOptions): Promise<Record<string, string>> {
  // First, because the RSA key takes longest by far: it is made on another thread meanwhile.
  const serviceAccountKeys = options.serviceAccountKeys ?? createServiceAccountKeys()
  const files = certificatesOf(options)
  return { ...files, ...(await serviceAccountKeys), ...keptFiles(options.kept ?? {}) }
}

function certificatesOf(options: PlanePkiOptions): Record<string, string> {
  const authority = authorityOf('ca', 'kubernetes', options)
  const signing = authorityOf('signing-ca', 'kubernetes-signing', options)
  const frontProxy = authorityOf('front-proxy-ca', 'front-proxy-ca', options)
  return {
    ...certificateFiles('ca', authority),
    ...certificateFiles('signing-ca', signing),
    'client-ca.crt': authority.certificate + signing.certificate,
    ...certificateFiles('front-proxy-ca', frontProxy),
    ...leavesOf({ authority, frontProxy }, options),
  }
}

function authorityOf(
  name: string,
  commonName: string,
  { algorithm, kept = {}, now }: PlanePkiOptions,
): Authority {
  const [certificate, key] = [kept[`${name}.crt`], kept[`${name}.key`]]
  return certificate === undefined || key === undefined
    ? createAuthority({ commonName, algorithm, now })
    : { certificate, key }
}

function leavesOf(
  { authority, frontProxy }: { authority: Authority; frontProxy: Authority },
  { algorithm, now, serverSans }: PlanePkiOptions,
): Record<string, string> {
  const common = { lifetimeMs: LEAF_LIFETIME_MS, algorithm, now }
  return {
    ...certificateFiles(
      'front-proxy-client',
      issueCertificate(frontProxy, {
        ...common,
        commonName: FRONT_PROXY_USER,
        usages: ['clientAuth'],
      }),
    ),
    ...certificateFiles(
      'apiserver',
      issueCertificate(authority, {
        ...common,
        commonName: 'kube-apiserver',
        usages: ['serverAuth'],
        sans: serverSans,
      }),
    ),
    ...certificateFiles(
      'controller-manager',
      issueCertificate(authority, {
        ...common,
        commonName: 'system:kube-controller-manager',
        usages: ['clientAuth'],
      }),
    ),
    ...certificateFiles(
      'controller-manager-server',
      issueCertificate(authority, {
        ...common,
        commonName: 'kube-controller-manager',
        usages: ['serverAuth'],
        sans: ['localhost', '127.0.0.1'],
      }),
    ),
  }
}
