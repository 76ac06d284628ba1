import { setTimeout as delay } from 'node:timers/promises'
import { s3Blobs } from '../../backup/blobs/s3-blobs.ts'
import { parseS3 } from '../../backup/blobs/s3-place.ts'
import { snapshotStore } from '../../backup/snapshot-store.ts'
import type { BackupSpec } from '../../control-plane/spec/fields/backup-spec.ts'
import type { BackupStatus } from '../../control-plane/status/backup-status.ts'
import { podVolumes } from '../../drivers/kubernetes/synced/pod-volumes.ts'
import { readSnapshot } from '../../etcd/data/read-snapshot.ts'
import { messageOf } from '../../shared/errors.ts'
import type { Duty } from '../duties/duty.ts'
import { etcdInPods } from './etcd-in-pods.ts'
import { PlaneBackups } from '../duties/plane-backups.ts'
import type { PodWorld } from './pod-world.ts'
import { statusBoard } from '../duties/status-board.ts'

/** How often a plane that starts is looked at, in milliseconds. */
const RETRY_MS = 1000

/** The backups of the plane beside which this pod runs. */
export function podBackups(
  world: PodWorld,
  backup: BackupSpec,
): Duty & { status: () => BackupStatus } {
  const { environment, host, namespace, now, report, settings } = world
  const { components, etcdHost, plane, planeId, statusName } = settings
  const connect = (signal: AbortSignal) => etcdInPods({ plane, host: etcdHost }, signal)
  const backups = new PlaneBackups(
    { name: plane, id: planeId, driver: 'kubernetes', namespace, backup },
    {
      readData: async (signal) => readSnapshot(await connect(signal), signal),
      volumes: async (signal) =>
        components.includes('syncer') ? podVolumes(host, { name: plane, namespace }, signal) : [],
      store: snapshotStore(s3Blobs(parseS3(backup.store ?? ''), environment), { warn: world.log }),
      board: statusBoard(host, 'backup', { name: statusName, namespace }),
      report,
      now,
    },
  )
  let hasAnswered = false
  return {
    look: async (signal) => {
      if (!hasAnswered) {
        await untilEtcdAnswers(connect, world.log, signal)
        hasAnswered = true
      }
      return backups.look(signal)
    },
    status: () => backups.status,
  }
}

/** A plane that is just being made has nothing to copy yet: that is no failure. */
async function untilEtcdAnswers(
  ask: (signal: AbortSignal) => Promise<unknown>,
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let said = ''; ;) {
    try {
      await ask(signal)
      return
    } catch (error) {
      signal.throwIfAborted()
      if (messageOf(error) !== said) {
        said = messageOf(error)
        log(`waiting for etcd: ${said}`)
      }
    }
    await delay(RETRY_MS, undefined, { signal })
  }
}
