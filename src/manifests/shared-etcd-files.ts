import type { PlaneSpec } from '../control-plane/spec/spec.ts'
import { type EtcdUser, newEtcdUser } from '../control-plane/store/etcd-user.ts'
import { SHARED_ETCD_CERTIFICATE } from '../control-plane/store/shared-etcd-certificate.ts'
import { sharedEtcdOf } from '../control-plane/store/store.ts'

/** The files with which kube-apiserver connects to a shared etcd. Only its pods have the key. */
export const SHARED_ETCD_FILES = {
  certificate: SHARED_ETCD_CERTIFICATE,
  key: SHARED_ETCD_CERTIFICATE.replace(/crt$/, 'key'),
  /** The CAs of the members. It is no certificate of the plane, which would be renewed. */
  authorities: 'shared-etcd/authorities.pem',
} as const

/** How much of its id a plane has in its names in a shared etcd. */
const UNIQUE_LENGTH = 8

/** What a plane of a host namespace has in a shared etcd. */
export interface HostedSharedEtcd extends EtcdUser {
  endpoints: readonly string[]
  /** The Secret of the owner. */
  secret: string
}

/** What a plane of a host namespace has in a shared etcd: names with its id. Undefined if it has another store. */
export function hostedSharedEtcd({
  id,
  name,
  spec,
}: {
  id: string
  name: string
  spec: PlaneSpec
}): HostedSharedEtcd | undefined {
  const shared = sharedEtcdOf(spec)
  if (shared === undefined) {
    return undefined
  }
  const { credentialsSecret: secret = '' } = shared.client ?? shared.root ?? {}
  const user = newEtcdUser(name, id.slice(0, UNIQUE_LENGTH), shared)
  return { endpoints: shared.endpoints, ...user, secret }
}
