import { setTimeout as delay } from 'node:timers/promises'
import { parseS3, s3Blobs } from '../../backup/blobs/s3-blobs.ts'
import { snapshotStore } from '../../backup/snapshot-store.ts'
import type { IdlePause } from '../../control-plane/driver/requests.ts'
import type { BackupSpec } from '../../control-plane/spec/fields/backup-spec.ts'
import type { BackupStatus } from '../../control-plane/status/backup-status.ts'
import type { CredentialsStatus, RenewalStatus } from '../../control-plane/status/plane-figures.ts'
import { renewDueLeaves } from '../../drivers/kubernetes/certificates/renew-plane-leaves.ts'
import { isReadyPod } from '../../drivers/kubernetes/observed/observed-plane.ts'
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
import { bucketEnvironment } from '../backups/bucket-environment.ts'
import { reopenedStore } from '../backups/reopened-store.ts'
import { objectName } from '../../manifests/object-names.ts'
import { KEY_HASHES_FILE } from '../../manifests/pod-files.ts'
import { statusBoard } from '../duties/status-board.ts'
import { apiServerPods, apiServersInPods, isApiReady, serverNameOf } from './api-servers.ts'
import { etcdInPods } from './etcd-in-pods.ts'
import { certificatesIn, measureFromPod } from './measure-from-pod.ts'
import { podCompaction } from './pod-compaction.ts'
import { podCredentials } from './pod-credentials.ts'
import { podMembers } from './pod-members.ts'
import type { PodWorld } from './pod-world.ts'
import { PlaneGateway } from '../wake/plane-gateway.ts'
import { namespaceRoute } from '../../drivers/kubernetes/gateway/gateway-route.ts'

/** How often a keeper tries to reach etcd of a plane that starts. */
const POLL_INTERVAL_MS = 1000

/** The duties of a namespace's keeper for one of its planes. */
export function podDuties(world: PodWorld): Duty[] {
  const { settings } = world
  const {
    backup,
    compacts,
    credentials,
    hasEphemeralMembers = false,
    idle,
    renews = false,
  } = settings
  const gateway = settings.wakes === true ? podGateway(world) : undefined
  if (settings.isAsleep === true) {
    return gateway === undefined ? [] : [gateway]
  }
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
    ...(idle === undefined ? [] : [podIdle(world, idle, gateway)]),
    ...(gateway === undefined ? [] : [gateway]),
    ...(renewal === undefined ? [] : [renewal]),
    ...(secrets === undefined ? [] : [secrets]),
    ...(hasEphemeralMembers ? [podMembers(world)] : []),
    ...(compacts === undefined ? [] : [podCompaction(world, compacts)]),
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
  const { name } = settings
  const labels = { plane: name }
  return new PlaneWatch(labels, {
    measure: async (signal) => {
      const figures = await measureFromPod(world, signal)
      const [backup, renewal] = [others.backup?.(), others.renewal()]
      const wakes = settings.wakes === true ? world.wakes.known(settings) : undefined
      return (
        figures && {
          ...figures,
          credentials: others.credentials(),
          ...(backup === undefined ? {} : { backup }),
          ...(renewal === undefined ? {} : { renewal }),
          ...(wakes === undefined ? {} : { wakes }),
        }
      )
    },
    isChanging: (signal) => isHeld(world, { name, namespace }, signal),
    board: statusBoard(host, 'alarms', statusPlace(world)),
    report,
    now,
  })
}

function podBackups(world: PodWorld, backup: BackupSpec): Duty & { status: () => BackupStatus } {
  const { host, namespace, now, report, settings } = world
  const { components, id, name } = settings
  const place = { name, namespace }
  const connect = async (signal: AbortSignal) =>
    etcdInPods(place, { files: await world.files(signal), signal })
  const backups = new PlaneBackups(
    { ...place, id, driver: 'kubernetes', backup },
    {
      readData: async (signal) => readSnapshot(await connect(signal), signal),
      encryptionKeys: async (signal) => {
        const { [KEY_HASHES_FILE]: hashes } = await world.files(signal)
        return hashes === undefined ? undefined : JSON.parse(hashes)
      },
      volumes: async (signal) =>
        components.includes('syncer') ? podVolumes(host, place, signal) : [],
      store: reopenedStore(async (signal) => {
        const environment = await bucketEnvironment(
          world,
          { namespace, secret: backup.secret },
          signal,
        )
        const blobs = s3Blobs(parseS3(backup.store ?? ''), environment)
        return snapshotStore(blobs, { warn: world.log })
      }),
      board: statusBoard(host, 'backup', statusPlace(world)),
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

/** Pauses the plane, and ends this pod with the last plane that needs it. */
function podIdle(world: PodWorld, idle: string, gateway: PlaneGateway | undefined): Duty {
  const { files, host, namespace, now, report, settings, wakes } = world
  const { id, name } = settings
  const place = { name, namespace }
  return new PauseWhenIdle(
    { labels: { plane: name }, idleMs: parseDuration(idle) },
    {
      readUse: async (signal) => {
        const { record } = await readPlane(host, { id, place }, signal)
        // A later change of the plane wins, even when a pause has begun.
        if (record.desired !== 'running' || record.spec.idle !== idle) {
          return undefined
        }
        const options = { serverName: serverNameOf(place), files: await files(signal), signal }
        return readUse(await apiServersInPods(host, place, options), signal)
      },
      board: statusBoard(host, 'idle', statusPlace(world)),
      pause: async (because) => {
        // The settings of the plane change meanwhile, and the keeper's signal must not interrupt it.
        const { signal } = new AbortController()
        const stored = await readPlane(host, { id, place }, signal)
        const context = { host: async () => ({ api: host }), now }
        const pause = (idlePause: IdlePause, until: AbortSignal) =>
          pausePlane(context, stored, { ui: silentUi, signal: until, idle: idlePause })
        await (gateway === undefined ? pause(because, signal) : gateway.during(because, pause))
      },
      ...(gateway && { mayFallAsleep: (use) => wakes.mayFallAsleep(settings, use) }),
      report,
      now,
    },
  )
}

function podGateway(world: PodWorld): PlaneGateway {
  const { files, host, namespace, settings, states } = world
  const place = { name: settings.name, namespace }
  const { id, isAsleep, wakesFrom } = settings
  return new PlaneGateway({
    ...world,
    plane: { ...place, id, isAsleep, wakesFrom },
    route: namespaceRoute(host, { ...place, id }, states),
    isApiReady: async (isRestart, signal) => {
      const options = { serverName: serverNameOf(place), files: await files(signal), signal }
      return isApiReady(host, place, { ...options, isRestart })
    },
    hasReadyPod: async (signal) => (await apiServerPods(host, place, signal)).some(isReadyPod),
  })
}

function podRenewal({ files, host, namespace, now, report, settings }: PodWorld): LeafRenewal {
  const { id, name } = settings
  const options = { id, place: { name, namespace }, now }
  return new LeafRenewal({
    certificates: async () => certificatesIn(await files()),
    renew: (signal) => renewDueLeaves(host, options, signal),
    report,
    now,
  })
}

function statusPlace({ namespace, settings }: PodWorld): { name: string; namespace: string } {
  return { name: objectName(settings.name, 'keeper-status'), namespace }
}
