import { createAuthority } from '../issue/create-authority.ts'
import type { PkiFiles } from './certificate-expiry.ts'
import { certificateFiles, clientFiles, type Issuer, leafFiles } from './certificate-files.ts'

const ETCD_CLIENT = 'apiserver-etcd-client'

/** The files with which kube-apiserver authenticates at etcd: without them, nothing can write into a plane. */
export const ETCD_CLIENT_NAMES: readonly string[] = [`${ETCD_CLIENT}.crt`, `${ETCD_CLIENT}.key`]

/**
 * The certificates and keys of etcd and its clients by relative file name, with their own CA. etcd can start with them
 * while the rest of a plane's PKI is created. Loopback is added to `memberSans`.
 *
 * @throws {VplaneError} `INVALID_SPEC` when a SAN is neither a host name nor an IP address.
 */
export function createEtcdPki({
  memberSans,
  ...options
}: Omit<Issuer, 'authority'> & { memberSans: readonly string[] }): Record<string, string> {
  const authority = createAuthority({ commonName: 'etcd-ca', ...options })
  const issuer = { authority, ...options }
  // etcd is also its own client: its JSON gateway connects to its gRPC port with the server certificate.
  const member = {
    usages: ['serverAuth', 'clientAuth'],
    sans: [...memberSans, 'localhost', '127.0.0.1', '::1'],
  } as const
  return {
    ...certificateFiles('etcd/ca', authority),
    ...leafFiles('etcd/server', { commonName: 'etcd-server', ...member }, issuer),
    ...leafFiles('etcd/peer', { commonName: 'etcd-peer', ...member }, issuer),
    ...clientFiles('etcd/healthcheck-client', 'kube-etcd-healthcheck-client', issuer),
    ...createEtcdClient(issuer),
  }
}

/** The certificate with which kube-apiserver authenticates at etcd, and its key, by relative file name. */
function createEtcdClient(issuer: Issuer): Record<string, string> {
  return clientFiles(ETCD_CLIENT, 'kube-apiserver-etcd-client', issuer)
}

/** The files of a plane with new certificates of kube-apiserver for etcd, from the CA of etcd among them. */
export function withEtcdClient(files: PkiFiles, options: Omit<Issuer, 'authority'>): PkiFiles {
  const authority = { certificate: files['etcd/ca.crt'] ?? '', key: files['etcd/ca.key'] ?? '' }
  return { ...files, ...createEtcdClient({ ...options, authority }) }
}
