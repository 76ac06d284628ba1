import type { Authority } from '../../../pki/issue/create-authority.ts'
import type { SharedEtcdSpec } from '../../../control-plane/store/store.ts'
import type { HostApi } from '../host/host-api.ts'
import { ownerFiles } from '../database/owner-files.ts'

const OF_CLIENT = ['ca.crt', 'tls.crt', 'tls.key'] as const
const OF_ROOT = [...OF_CLIENT, 'client-ca.crt', 'client-ca.key'] as const

/** What the Secret of the owner of a shared etcd has. */
export interface EtcdOwner {
  /** The certificate of the root user, or that of the plane's user. */
  certificate: string
  key: string
  /** The CAs of the members. */
  certificateAuthority: string
  /** The CA of the clients. @default the owner issues the certificate of the plane */
  clientAuthority?: Authority
}

interface OwnerOptions {
  namespace: string
  shared: Pick<SharedEtcdSpec, 'client' | 'root'>
  signal: AbortSignal
}

/**
 * The certificates of the owner of a shared etcd, from the Secret that the spec of a plane names.
 * @throws {VplaneError} `FAILED` when the Secret is missing or not complete.
 */
export async function readEtcdOwner(
  api: Pick<HostApi, 'get'>,
  { namespace, shared: { client, root }, signal }: OwnerOptions,
): Promise<EtcdOwner> {
  const keys = root === undefined ? OF_CLIENT : OF_ROOT
  const { credentialsSecret: secret = '' } = root ?? client ?? {}
  const fromFiles = keys.map((key) => `--from-file ${key}=FILE`).join(' ')
  const files = await ownerFiles(api, {
    secret,
    namespace,
    keys,
    server: 'the shared etcd',
    create: `create secret generic ${secret} ${fromFiles}`,
    signal,
  })
  const [authority, authorityKey] = [files['client-ca.crt'] ?? '', files['client-ca.key'] ?? '']
  return {
    certificate: files['tls.crt'] ?? '',
    key: files['tls.key'] ?? '',
    certificateAuthority: files['ca.crt'] ?? '',
    ...(root === undefined
      ? {}
      : { clientAuthority: { certificate: authority, key: authorityKey } }),
  }
}
