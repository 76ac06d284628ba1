import { readEtcdOwner } from '../../drivers/kubernetes/shared-etcd/etcd-owner.ts'
import { sharedEtcdConnection } from '../../etcd/shared/shared-etcd-connection.ts'
import type { KeeperSettings } from '../../manifests/keeper-settings.ts'
import type { Duty } from '../duties/duty.ts'
import { etcdCompaction } from '../duties/etcd-compaction.ts'
import type { PodWorld } from './pod-world.ts'

/** Compacts the shared etcd of a plane of the namespace. It reads the Secret of the owner each time, and stores nothing of it. */
export function podCompaction(
  { host, namespace, now }: Pick<PodWorld, 'host' | 'namespace' | 'now'>,
  { endpoints, secret }: NonNullable<KeeperSettings['compacts']>,
): Duty {
  return etcdCompaction(async (signal) => {
    const shared = { root: { credentialsSecret: secret } }
    const { certificate, certificateAuthority, key } = await readEtcdOwner(host, {
      namespace,
      shared,
      signal,
    })
    return sharedEtcdConnection(endpoints, { certificate, certificateAuthority, key }, signal)
  }, now)
}
