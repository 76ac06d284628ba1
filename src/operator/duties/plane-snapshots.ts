import type { Snapshots } from '../../control-plane/driver/snapshot.ts'
import type { BackupSpec } from '../../control-plane/spec/fields/backup-spec.ts'
import { bucketEnvironment } from '../../keeper/backups/bucket-environment.ts'
import type { KeeperEvent } from '../../keeper/duties/duty.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import type { Environment } from '../../shared/environment.ts'

export interface SnapshotsDependencies {
  environment: Environment
  host: Pick<KubeClient, 'get'>
  snapshotsFor: (environment: Environment) => Snapshots
}

/** Where a plane has its backups. */
export interface BackupPlace {
  namespace?: string | undefined
  backup: { [Field in 'secret' | 'store']?: BackupSpec[Field] | undefined } | undefined
}

/**
 * The snapshots of a plane, with the credentials that the Secret of its backups has at the moment. `local` is the store
 * of its backups; without one, it is a folder of the operator's pod.
 */
export async function planeSnapshots(
  { snapshotsFor, ...deps }: SnapshotsDependencies,
  { backup: { secret, store } = {}, namespace = '' }: BackupPlace,
  signal: AbortSignal,
): Promise<Snapshots> {
  const snapshots = snapshotsFor(await bucketEnvironment(deps, { secret, namespace }, signal))
  return store === undefined ? snapshots : { ...snapshots, local: snapshots.storeOf(store) }
}

/** The same snapshots; an Event says where each new one is, and whether it is lost with the operator's pod. */
export function announced(
  snapshots: Snapshots,
  { store }: NonNullable<BackupPlace['backup']>,
  report: (event: KeeperEvent) => void,
): Snapshots {
  const { local } = snapshots
  return {
    ...snapshots,
    local: {
      ...local,
      put: async (info, bytes, signal) => {
        const stored = await local.put(info, bytes, signal)
        const message = `a snapshot from before the upgrade is in ${stored.location}`
        const loss = `${message} of the operator's pod, and is lost with it: "backup.store" prevents that`
        report(
          store === undefined
            ? { level: 'warning', reason: 'SnapshotInPod', message: loss }
            : { level: 'normal', reason: 'SnapshotTaken', message },
        )
        return stored
      },
    },
  }
}
