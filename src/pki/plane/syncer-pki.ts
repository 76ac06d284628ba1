import {
  DNS_USER,
  KUBELET_CLIENT_USER,
  SYNCER_USER,
} from '../../control-plane/sync/prepare-sync.ts'
import { clientFiles, type Issuer, serverFiles } from './certificate-files.ts'

/**
 * The certificates and keys of a syncer, and of kube-apiserver as the client of its kubelets, by relative file name.
 * `serverSans` are the host names of the kubelet endpoint.
 *
 * @throws {VplaneError} `INVALID_SPEC` when a SAN is neither a host name nor an IP address.
 */
export function createSyncerPki({
  serverSans: sans,
  ...issuer
}: Issuer & { serverSans: readonly string[] }): Record<string, string> {
  const { certificate } = issuer.authority
  return {
    // Separate files: their readers get no other file of the CA, and a plane without syncer does not have them.
    'kubelet-ca.crt': certificate,
    'syncer-ca.crt': certificate,
    ...clientFiles('apiserver-kubelet-client', KUBELET_CLIENT_USER, issuer),
    ...clientFiles('syncer', SYNCER_USER, issuer),
    ...clientFiles('dns', DNS_USER, issuer),
    ...serverFiles('syncer-server', { commonName: 'system:node:vplane-syncer', sans }, issuer),
  }
}
