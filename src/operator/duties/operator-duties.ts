import { findAgain } from '../../control-plane/use-cases/find/find-again.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { isCreated, type Plane, referenceOf } from '../../control-plane/plane/plane.ts'
import { hasEphemeralMembers, needsKeeper } from '../../control-plane/spec/needs-keeper.ts'
import { renewDueLeaves } from '../../drivers/kubernetes/certificates/renew-plane-leaves.ts'
import type { Host } from '../../drivers/kubernetes/context/context.ts'
import type { PlacedName } from '../../drivers/kubernetes/context/object-names.ts'
import { hostedCluster } from '../../drivers/kubernetes/etcd/hosted-etcd.ts'
import { readLimit } from '../../drivers/kubernetes/host/host-api.ts'
import { readKeys } from '../../drivers/kubernetes/objects/plane-keys.ts'
import { tryLease } from '../../drivers/kubernetes/record/plane-lease.ts'
import { etcdMembers } from '../../keeper/members/etcd-members.ts'
import { driverDuties, type DriverWorld } from '../../keeper/duties/driver-duties.ts'
import type { Duty, KeeperEvent } from '../../keeper/duties/duty.ts'
import { isHeld } from '../../keeper/duties/is-held.ts'
import { keepPlanes, type KeeperPlane } from '../../keeper/duties/keep-planes.ts'
import { reopenedStore } from '../../keeper/backups/reopened-store.ts'
import { LeafRenewal } from '../../keeper/duties/leaf-renewal.ts'
import { type Board, statusBoard } from '../../keeper/duties/status-board.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import type { KeeperStatus } from '../../manifests/keeper-status.ts'
import { objectLabels, objectName } from '../../manifests/object-names.ts'
import { VplaneError } from '../../shared/errors.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { operatorCredentials } from './operator-credentials.ts'
import { planeSnapshots, type SnapshotsDependencies } from './plane-snapshots.ts'
import { collectionPath } from '../../shared/kube/collections.ts'

export interface DutiesDependencies
  extends
    Pick<DriverWorld, 'driver' | 'now' | 'openApi'>,
    Pick<SnapshotsDependencies, 'environment' | 'snapshotsFor'> {
  host: KubeClient
  /** Connects to pods. */
  cluster: Pick<Host, 'forward'>
  log: (line: string) => void
  /** Tells about a plane's alarms and backups. */
  reportOn: (plane: KeeperPlane) => (event: KeeperEvent) => void
}

/** How often the operator checks which planes need duties, in milliseconds. */
const POLL_MS = 1000

/** Does the keepers' duties for the planes that `planes` returns, until the signal fires. */
export async function keepDeclaredPlanes(
  deps: DutiesDependencies,
  planes: () => Plane[],
  signal: AbortSignal,
): Promise<void> {
  const list = async () =>
    planes()
      .filter(needsDuties)
      .map((plane) => toKept(plane))
  const { log, now } = deps
  while (!signal.aborted) {
    await keepPlanes({
      list,
      dutiesOf: (plane) => dutiesOf(deps, plane),
      now,
      log,
      signal,
      pollIntervalMs: POLL_MS,
    })
    await delay(POLL_MS, undefined, { signal }).catch(() => {})
  }
}

function needsDuties(plane: Plane): boolean {
  const { desired, restoring, spec } = plane
  const isWhole = restoring === undefined && isCreated(plane)
  return needsKeeper(spec) && desired === 'running' && isWhole
}

/** A plane with what its duties depend on: they start again when that changes. */
interface DeclaredPlane extends KeeperPlane {
  /** The number of its etcd members, if these store their data in their pods alone. */
  ephemeralMembers?: number
}

function toKept(plane: Plane): DeclaredPlane {
  const { backup, credentials, idle, renew } = plane.spec
  const members = plane.spec.host?.etcd.replicas
  return {
    ...referenceOf(plane),
    id: plane.id,
    spec: omitUndefined({ backup, credentials, idle, renew }),
    ...(hasEphemeralMembers(plane.spec) && members !== undefined
      ? { ephemeralMembers: members }
      : {}),
  }
}

function dutiesOf(deps: DutiesDependencies, plane: DeclaredPlane): Duty[] {
  const world = worldOf(deps, plane)
  const { ephemeralMembers: count, id, name, namespace = '', spec } = plane
  const { credentials } = spec
  const renewal = spec.renew === true ? renewalOf(deps, plane, world) : undefined
  const secrets =
    credentials && operatorCredentials(deps.host, { name, namespace, id, credentials }, world)
  const others = () => ({
    credentials: secrets?.status ?? { failures: [] },
    ...(renewal?.status === undefined ? {} : { renewal: renewal.status }),
  })
  return [
    ...driverDuties(plane, { ...world, others }),
    ...(renewal === undefined ? [] : [renewal]),
    ...(secrets === undefined ? [] : [secrets]),
    ...(count === undefined ? [] : [membersOf(deps, { plane, count }, world)]),
  ]
}

function worldOf(deps: DutiesDependencies, plane: KeeperPlane): DriverWorld {
  const { driver, host, now, openApi, reportOn } = deps
  const { id, name, namespace = '' } = plane
  const place = { name, namespace }
  return {
    driver,
    openApi,
    now,
    report: reportOn(plane),
    isHeld: (signal) => isHeld(deps, place, signal),
    find: () => findAgain(driver, { id, name, namespace }),
    storeOf: (backup) =>
      reopenedStore(async (signal) =>
        (await planeSnapshots(deps, { namespace, backup }, signal)).storeOf(backup.store ?? ''),
      ),
    boards: {
      alarms: createdBoard(host, 'alarms', place),
      backup: createdBoard(host, 'backup', place),
      idle: createdBoard(host, 'idle', place),
    },
  }
}

/** The status ConfigMap, which a plane without a keeper gets when there is something to show. */
function createdBoard<Part extends keyof KeeperStatus>(
  host: KubeClient,
  part: Part,
  { name, namespace }: PlacedName,
): Board<KeeperStatus[Part]> {
  const place = { name: objectName(name, 'keeper-status'), namespace }
  const board = statusBoard(host, part, place)
  return {
    read: board.read,
    write: async (status, signal) => {
      try {
        await board.write(status, signal)
      } catch (error) {
        if (!(error instanceof VplaneError && error.code === 'NOT_FOUND')) {
          throw error
        }
        const metadata = { ...place, labels: objectLabels(name, 'keeper') }
        const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata }
        await host.create(collectionPath('configmaps', namespace), object, { signal })
        await board.write(status, signal)
      }
    },
  }
}

function renewalOf(
  { driver, host, now }: DutiesDependencies,
  { id, name, namespace = '' }: KeeperPlane,
  { find, report }: DriverWorld,
): LeafRenewal {
  return new LeafRenewal({
    certificates: async () => driver.certificates.list(await find()),
    renew: (signal) => renewDueLeaves(host, { id, place: { name, namespace }, now }, signal),
    report,
    now,
  })
}

function membersOf(
  { cluster, host }: DutiesDependencies,
  { count, plane: { name, namespace = '' } }: { plane: KeeperPlane; count: number },
  { now, report }: DriverWorld,
): Duty {
  const place = { name, namespace }
  return etcdMembers({
    host,
    place,
    count,
    openCluster: async () => {
      const files = await readKeys(host, place, readLimit())
      return hostedCluster(cluster, place, { files, count: () => count })
    },
    hold: (signal) => tryLease(host, { ...place, now, signal }),
    report,
    now,
  })
}
