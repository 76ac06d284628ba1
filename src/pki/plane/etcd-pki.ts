import { type Authority, createAuthority } from '../issue/create-authority.ts'
import { issueCertificate } from '../issue/issue-certificate.ts'
import type { IssuedCertificate } from '../issue/issue-leaf.ts'
import type { KeyAlgorithm } from '../x509/key-pair.ts'
import { LEAF_LIFETIME_MS } from '../issue/lifetimes.ts'
import { certificateFiles } from './certificate-files.ts'

const ETCD_CLIENT = 'apiserver-etcd-client'

/** The files by which etcd knows kube-apiserver: without them nobody writes into a plane. */
export const ETCD_CLIENT_NAMES: readonly string[] = [`${ETCD_CLIENT}.crt`, `${ETCD_CLIENT}.key`]

/** What the PKI of etcd depends on. */
export interface EtcdPkiOptions {
  algorithm: KeyAlgorithm
  now: Date
  /** Host names and addresses of all members; loopback is always among them. */
  memberSans: readonly string[]
}

/**
 * The certificates and keys of etcd and its clients by relative file name, from a CA of its own. All that etcd needs
 * to start, so that the rest of a plane's PKI can be made meanwhile.
 *
 * @throws {VplaneError} `INVALID_SPEC` when a SAN is neither a host name nor an IP address.
 */
export function createEtcdPki({
  algorithm,
  memberSans,
  now,
}: EtcdPkiOptions): Record<string, string> {
  const authority = createAuthority({ commonName: 'etcd-ca', algorithm, now })
  const common = { lifetimeMs: LEAF_LIFETIME_MS, algorithm, now }
  const sans = [...memberSans, 'localhost', '127.0.0.1', '::1']
  // etcd's server is also a client, of itself: its JSON gateway dials its own gRPC port with the server certificate.
  const member = (commonName: string) =>
    issueCertificate(authority, {
      ...common,
      commonName,
      usages: ['serverAuth', 'clientAuth'],
      sans,
    })
  return {
    ...certificateFiles('etcd/ca', authority),
    ...certificateFiles('etcd/server', member('etcd-server')),
    ...certificateFiles('etcd/peer', member('etcd-peer')),
    ...certificateFiles(
      'etcd/healthcheck-client',
      issueClient(authority, { ...common, commonName: 'kube-etcd-healthcheck-client' }),
    ),
    ...createEtcdClient({ algorithm, authority, now }),
  }
}

/** The certificate by which etcd knows kube-apiserver, and its key, by relative file name. */
export function createEtcdClient({
  algorithm,
  authority,
  now,
}: Omit<EtcdPkiOptions, 'memberSans'> & { authority: Authority }): Record<string, string> {
  const commonName = 'kube-apiserver-etcd-client'
  const options = { lifetimeMs: LEAF_LIFETIME_MS, algorithm, now, commonName }
  return certificateFiles(ETCD_CLIENT, issueClient(authority, options))
}

function issueClient(
  authority: Authority,
  options: Omit<Parameters<typeof issueCertificate>[1], 'usages'>,
): IssuedCertificate {
  return issueCertificate(authority, { ...options, usages: ['clientAuth'] })
}
