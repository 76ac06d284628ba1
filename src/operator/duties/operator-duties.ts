import { findAgain } from '../../control-plane/use-cases/find/find-again.ts'
import { setTimeout as delay } from 'node:timers/promises'
import type { Driver } from '../../control-plane/driver/driver.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import type { EtcdFigures } from '../../control-plane/status/plane-figures.ts'
import { renewDueLeaves } from '../../drivers/kubernetes/certificates/renew-plane-leaves.ts'
import type { Host } from '../../drivers/kubernetes/context/context.ts'
import { hostedCluster } from '../../drivers/kubernetes/etcd/hosted-etcd.ts'
import { readLimit } from '../../drivers/kubernetes/host/host-api.ts'
import { readKeys } from '../../drivers/kubernetes/objects/plane-keys.ts'
import { tryLease } from '../../drivers/kubernetes/record/plane-lease.ts'
import { Paced } from '../../drivers/kubernetes/workloads/paced.ts'
import { etcdMembers } from '../../keeper/members/etcd-members.ts'
import { driverDuties, type DriverWorld } from '../../keeper/duties/driver-duties.ts'
import type { Duty, KeeperEvent } from '../../keeper/duties/duty.ts'
import { isHeld } from '../../keeper/duties/is-held.ts'
import { keepPlanes, type KeeperPlane } from '../../keeper/duties/keep-planes.ts'
import { reopenedStore } from '../../keeper/backups/reopened-store.ts'
import type { ServedMetrics } from '../../keeper/served-metrics.ts'
import { LeafRenewal } from '../../keeper/duties/leaf-renewal.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { type DeclaredPlane, toDeclaredPlane } from './declared-plane.ts'
import { createdBoard } from './created-board.ts'
import type { OperatorGateway, WakingGateway } from '../gateway/operator-gateway.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { operatorCredentials } from './operator-credentials.ts'
import { planeSnapshots, type SnapshotsDependencies } from './plane-snapshots.ts'

export interface DutiesDependencies
  extends
    Pick<DriverWorld, 'driver' | 'now' | 'openApi'>,
    Pick<SnapshotsDependencies, 'environment' | 'snapshotsFor'> {
  host: KubeClient
  /** Reads planes as watches show them. */
  seen: Driver
  /** What it reads of them again and again. */
  reads: Pick<KubeClient, 'get' | 'list'>
  /** Connects to pods. */
  cluster: Pick<Host, 'forward'>
  log: (line: string) => void
  /** Tells about a plane's alarms and backups. */
  reportOn: (plane: KeeperPlane) => (event: KeeperEvent) => void
  /** Has what the duties measure. */
  served: ServedMetrics
  /** Of the planes that any client wakes. */
  gateway: Pick<OperatorGateway, 'closing' | 'gatewayOf' | 'hasClients' | 'wakes'>
}

/** How often the operator checks which planes need duties, in milliseconds. */
const POLL_MS = 500

/** For how many more planes it begins each time: after a start of the operator, a thousand may need some. */
const AT_ONCE = 20

/** How often it reads the figures of etcd, which takes requests to the API server of the host, in milliseconds. */
const ETCD_MS = 60_000

/** Does the keepers' duties for the planes that `planes` returns, until the signal fires. */
export async function keepDeclaredPlanes(
  deps: DutiesDependencies,
  planes: () => Plane[],
  signal: AbortSignal,
): Promise<void> {
  let begun = new Set<string>()
  const list = async () => {
    const all = planes().flatMap((plane) => toDeclaredPlane(plane) ?? [])
    const known = all.filter(({ id }) => begun.has(id))
    const next = all.filter(({ id }) => !begun.has(id))
    const awaited = next.filter((plane) => deps.gateway.hasClients(plane))
    const listed = [...new Set([...known, ...awaited, ...next.slice(0, AT_ONCE)])]
    begun = new Set(listed.map(({ id }) => id))
    deps.served.keepOnly(begun)
    return listed
  }
  const { log, now } = deps
  while (!signal.aborted) {
    await keepPlanes({
      list,
      dutiesOf: (plane) => {
        const duties = dutiesOf(deps, plane)
        deps.served.serve(plane.id, duties)
        return duties
      },
      now,
      log,
      signal,
      pollIntervalMs: POLL_MS,
    })
    await delay(POLL_MS, undefined, { signal }).catch(() => {})
  }
}

function dutiesOf(deps: DutiesDependencies, plane: DeclaredPlane): Duty[] {
  const { id, name, namespace = '', state, wake } = plane
  if (wake === undefined) {
    return runningDuties(deps, plane)
  }
  const woken = { id, name, namespace, isAsleep: state === 'asleep', wakesFrom: wake.from }
  if (state === 'paused') {
    return [deps.gateway.closing(woken)]
  }
  const gateway = deps.gateway.gatewayOf(woken)
  return state === 'asleep' ? [gateway] : [...runningDuties(deps, plane, gateway), gateway]
}

function runningDuties(
  deps: DutiesDependencies,
  plane: DeclaredPlane,
  gateway?: WakingGateway,
): Duty[] {
  const { wakes } = deps.gateway
  const world: DriverWorld = {
    ...worldOf(deps, plane),
    ...(gateway && {
      mayFallAsleep: (_plane, use) => wakes.mayFallAsleep(plane, use),
      duringPause: (_plane, idle, pause) => gateway.during(idle, pause),
    }),
  }
  const { ephemeralMembers: count, id, name, namespace = '', spec } = plane
  const { credentials } = spec
  const renewal = spec.renew === true ? renewalOf(deps, plane, world) : undefined
  const secrets =
    credentials && operatorCredentials(deps, { name, namespace, id, credentials }, world)
  const others = () => ({
    credentials: secrets?.status ?? { failures: [] },
    ...omitUndefined({ renewal: renewal?.status, wakes: gateway && wakes.known(plane) }),
  })
  return [
    ...driverDuties(plane, { ...world, others }),
    ...(renewal === undefined ? [] : [renewal]),
    ...(secrets === undefined ? [] : [secrets]),
    ...(count === undefined ? [] : [membersOf(deps, { plane, count }, world)]),
  ]
}

function worldOf(deps: DutiesDependencies, plane: KeeperPlane): DriverWorld {
  const { driver, host, now, openApi, reportOn, seen } = deps
  const etcd = new Paced<EtcdFigures>(ETCD_MS)
  const { id, name, namespace = '' } = plane
  const place = { name, namespace }
  return {
    driver,
    seen,
    etcdFigures: (measured, signal) => etcd.ask(() => seen.metrics.etcd(measured, signal)),
    openApi,
    now,
    report: reportOn(plane),
    isHeld: (signal) => isHeld(deps, place, signal),
    find: () => findAgain(seen, { id, name, namespace }),
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
