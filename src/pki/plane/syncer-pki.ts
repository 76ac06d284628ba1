import {
  DNS_USER,
  KUBELET_CLIENT_USER,
  SYNCER_USER,
} from '../../control-plane/sync/prepare-sync.ts'
import { certificateFiles } from './certificate-files.ts'
import type { Authority } from '../issue/create-authority.ts'
import { issueCertificate } from '../issue/issue-certificate.ts'
import type { KeyAlgorithm } from '../x509/key-pair.ts'
import { LEAF_LIFETIME_MS } from '../issue/lifetimes.ts'

/** What the certificates of a syncer depend on. */
export interface SyncerPkiOptions {
  /** The plane's CA. */
  authority: Authority
  algorithm: KeyAlgorithm
  now: Date
  /** Host names of the kubelet endpoint. */
  serverSans: readonly string[]
}

/**
 * The certificates and keys of a syncer, and those by which kube-apiserver uses its kubelet endpoint, by relative file
 * name.
 *
 * @throws {VplaneError} `INVALID_SPEC` when a SAN is neither a host name nor an IP address.
 */
export function createSyncerPki({
  algorithm,
  authority,
  now,
  serverSans,
}: SyncerPkiOptions): Record<string, string> {
  const common = { lifetimeMs: LEAF_LIFETIME_MS, algorithm, now }
  const client = (commonName: string) =>
    issueCertificate(authority, { ...common, commonName, usages: ['clientAuth'] })
  const server = issueCertificate(authority, {
    ...common,
    commonName: 'system:node:vplane-syncer',
    usages: ['serverAuth'],
    sans: serverSans,
  })
  return {
    // Files of their own: what holds them reads no other of the CA's, and a plane without syncer has none of them.
    'kubelet-ca.crt': authority.certificate,
    'syncer-ca.crt': authority.certificate,
    ...certificateFiles('apiserver-kubelet-client', client(KUBELET_CLIENT_USER)),
    ...certificateFiles('syncer', client(SYNCER_USER)),
    ...certificateFiles('dns', client(DNS_USER)),
    ...certificateFiles('syncer-server', server),
  }
}
