import { createAuthority } from './create-authority.ts'
import { issueCertificate } from './issue-certificate.ts'
import type { KeyAlgorithm } from './key-pair.ts'
import { LEAF_LIFETIME_MS } from './lifetimes.ts'
import { certificateFiles } from './certificate-files.ts'

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
  const client = (commonName: string) =>
    issueCertificate(authority, { ...common, commonName, usages: ['clientAuth'] })
  return {
    ...certificateFiles('etcd/ca', authority),
    ...certificateFiles('etcd/server', member('etcd-server')),
    ...certificateFiles('etcd/peer', member('etcd-peer')),
    ...certificateFiles('etcd/healthcheck-client', client('kube-etcd-healthcheck-client')),
    ...certificateFiles('apiserver-etcd-client', client('kube-apiserver-etcd-client')),
  }
}
