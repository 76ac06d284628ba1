import { createAuthority } from '../issue/create-authority.ts'
import { certificateFiles, clientFiles, type Issuer, leafFiles } from './certificate-files.ts'

const ETCD_CLIENT = 'apiserver-etcd-client'

/** The files by which etcd knows kube-apiserver: without them nobody writes into a plane. */
export const ETCD_CLIENT_NAMES: readonly string[] = [`${ETCD_CLIENT}.crt`, `${ETCD_CLIENT}.key`]

/** What the PKI of etcd depends on. */
export interface EtcdPkiOptions extends Omit<Issuer, 'authority'> {
  /** Host names and addresses of all members; loopback is always among them. */
  memberSans: readonly string[]
}

/**
 * The certificates and keys of etcd and its clients by relative file name, from a CA of its own. All that etcd needs
 * to start, so that the rest of a plane's PKI can be made meanwhile.
 *
 * @throws {VplaneError} `INVALID_SPEC` when a SAN is neither a host name nor an IP address.
 */
export function createEtcdPki({ memberSans, ...options }: EtcdPkiOptions): Record<string, string> {
  const authority = createAuthority({ commonName: 'etcd-ca', ...options })
  const issuer = { authority, ...options }
  // etcd's server is also a client, of itself: its JSON gateway dials its own gRPC port with the server certificate.
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

/** The certificate by which etcd knows kube-apiserver, and its key, by relative file name. */
export function createEtcdClient(issuer: Issuer): Record<string, string> {
  return clientFiles(ETCD_CLIENT, 'kube-apiserver-etcd-client', issuer)
}
