import {
  DNS_USER,
  KUBELET_CLIENT_USER,
  SYNCER_USER,
} from '../../control-plane/sync/prepare-sync.ts'
import { clientFiles, type Issuer, serverFiles } from './certificate-files.ts'

/** What the certificates of a syncer depend on, the plane's CA among it. */
export interface SyncerPkiOptions extends Issuer {
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
  serverSans: sans,
  ...issuer
}: SyncerPkiOptions): Record<string, string> {
  const { certificate } = issuer.authority
  return {
    // Files of their own: what holds them reads no other of the CA's, and a plane without syncer has none of them.
    'kubelet-ca.crt': certificate,
    'syncer-ca.crt': certificate,
    ...clientFiles('apiserver-kubelet-client', KUBELET_CLIENT_USER, issuer),
    ...clientFiles('syncer', SYNCER_USER, issuer),
    ...clientFiles('dns', DNS_USER, issuer),
    ...serverFiles('syncer-server', { commonName: 'system:node:vplane-syncer', sans }, issuer),
  }
}
