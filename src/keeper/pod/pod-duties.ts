import { setTimeout as delay } from 'node:timers/promises'
import { parseS3, s3Blobs } from '../../backup/blobs/s3-blobs.ts'
import { snapshotStore } from '../../backup/snapshot-store.ts'
import type { BackupSpec } from '../../control-plane/spec/fields/backup-spec.ts'
import type { BackupStatus } from '../../control-plane/status/backup-status.ts'
import type { CredentialsStatus, RenewalStatus } from '../../control-plane/status/plane-figures.ts'
import { renewDueLeaves } from '../../drivers/kubernetes/certificates/renew-plane-leaves.ts'
import { pausePlane } from '../../drivers/kubernetes/lifecycle/pause-plane.ts'
import { readPlane } from '../../drivers/kubernetes/record/hold-plane.ts'
import { podVolumes } from '../../drivers/kubernetes/synced/synced-objects.ts'
import { readSnapshot } from '../../etcd/data/read-snapshot.ts'
import { messageOf } from '../../shared/errors.ts'
import { parseDuration } from '../../shared/text/duration.ts'
import { silentUi } from '../../shared/ui.ts'
import type { Duty } from '../duties/duty.ts'
import { isHeld } from '../duties/is-held.ts'
import { LeafRenewal } from '../duties/leaf-renewal.ts'
import { PauseWhenIdle } from '../duties/pause-when-idle.ts'
import { PlaneBackups } from '../duties/plane-backups.ts'
import { readUse } from '../duties/plane-use.ts'
import { PlaneWatch } from '../duties/plane-watch.ts'
import { statusBoard } from '../duties/status-board.ts'
import { apiServersInPods } from './api-servers.ts'
import { etcdInPods } from './etcd-in-pods.ts'
import { measureFromPod, readCertificates } from './measure-from-pod.ts'
import { podCredentials } from './pod-credentials.ts'
import { podMembers } from './pod-members.ts'
import { PKI_FOLDER, type PodWorld } from './pod-world.ts'

/** How often a keeper tries to reach etcd of a plane that starts. */
const POLL_INTERVAL_MS = 1000

/** The duties of a keeper in a pod, for the plane beside which it runs. */
export function podDuties(world: PodWorld): Duty[] {
  const { backup, credentials, hasEphemeralMembers, idle, renews } = world.settings
  const backups = backup && podBackups(world, backup)
  const renewal = renews ? podRenewal(world) : undefined
  const secrets = credentials && podCredentials(world, credentials)
  return [
    podWatch(world, {
      ...(backups === undefined ? {} : { backup: backups.status }),
      renewal: () => (renewal === undefined ? {} : renewal.status),
      credentials: () => secrets?.status ?? { failures: [] },
    }),
    ...(backups === undefined ? [] : [backups]),
    ...(idle === undefined ? [] : [podIdle(world, idle)]),
    ...(renewal === undefined ? [] : [renewal]),
    ...(secrets === undefined ? [] : [secrets]),
    ...(hasEphemeralMembers ? [podMembers(world)] : []),
  ]
}

function podWatch(
  world: PodWorld,
  others: {
    backup?: () => BackupStatus
    renewal: () => RenewalStatus | undefined
    credentials: () => CredentialsStatus
  },
): Duty {
  const { host, namespace, now, report, settings } = world
  return new PlaneWatch(settings.plane, {
    measure: async (signal) => {
      const figures = await measureFromPod(world, signal)
      const [backup, renewal] = [others.backup?.(), others.renewal()]
      return (
        figures && {
          ...figures,
          credentials: others.credentials(),
          ...(backup === undefined ? {} : { backup }),
          ...(renewal === undefined ? {} : { renewal }),
        }
      )
    },
    isChanging: (signal) => isHeld(world, { name: settings.plane, namespace }, signal),
    board: statusBoard(host, 'alarms', { name: settings.statusName, namespace }),
    report,
    now,
  })
}

function podBackups(world: PodWorld, backup: BackupSpec): Duty & { status: () => BackupStatus } {
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
    reconcile: async (signal) => {
      if (!hasAnswered) {
        await untilEtcdAnswers(connect, world.log, signal)
        hasAnswered = true
      }
      return backups.reconcile(signal)
    },
    status: () => backups.status,
  }
}

/** A new plane has no data to back up yet, which is no failure. */
async function untilEtcdAnswers(
  connect: (signal: AbortSignal) => Promise<unknown>,
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let logged = ''; ;) {
    try {
      await connect(signal)
      return
    } catch (error) {
      signal.throwIfAborted()
      if (messageOf(error) !== logged) {
        logged = messageOf(error)
        log(`waiting for etcd: ${logged}`)
      }
    }
    await delay(POLL_INTERVAL_MS, undefined, { signal })
  }
}

/** Pauses the plane, and this pod with it. */
function podIdle({ host, namespace, now, report, settings }: PodWorld, idle: string): Duty {
  const { apiHost: serverName, plane: name, planeId: id, statusName } = settings
  const place = { name, namespace }
  return new PauseWhenIdle(
    { name, idleMs: parseDuration(idle) },
    {
      readUse: async (signal) => {
        const { record } = await readPlane(host, { id, place }, signal)
        // A later change of the plane wins, even when a pause has begun.
        if (record.desired !== 'running' || record.spec.idle !== idle) {
          return undefined
        }
        const options = { serverName, pkiFolder: PKI_FOLDER, signal }
        return readUse(await apiServersInPods(host, place, options), signal)
      },
      board: statusBoard(host, 'idle', { name: statusName, namespace }),
      pause: async (because) => {
        // The pause stops this pod too, and the keeper's signal must not interrupt it.
        const { signal } = new AbortController()
        const stored = await readPlane(host, { id, place }, signal)
        const context = { host: async () => ({ api: host }), now }
        await pausePlane(context, stored, { ui: silentUi, signal, idle: because })
      },
      report,
      now,
    },
  )
}

function podRenewal({ host, namespace, now, report, settings }: PodWorld): LeafRenewal {
  const { plane: name, planeId: id } = settings
  const options = { id, place: { name, namespace }, now }
  return new LeafRenewal({
    certificates: readCertificates,
    renew: (signal) => renewDueLeaves(host, options, signal),
    report,
    now,
  })
}
