import type { StatusOptions } from '../../../control-plane/driver/driver.ts'
import { componentsOf, type Plane } from '../../../control-plane/plane/plane.ts'
import type {
  NetworkPolicyEffect,
  PlaneStatus,
} from '../../../control-plane/status/plane-status.ts'
import { type KeeperPart, keeperPart } from '../../../control-plane/status/keeper-part.ts'
import { keeperStatusOf } from '../../../manifests/keeper-status.ts'
import { networkPolicyEffectOf } from '../../../manifests/syncer-status.ts'
import { objectName } from '../../../manifests/object-names.ts'
import type { KubernetesContext } from '../context/context.ts'
import { isKeptByOperator } from '../keeper/is-kept.ts'
import { replicasOf } from '../observed/workloads.ts'
import { presentRecord } from '../record/record-store.ts'
import { isReadyPod, type ObservedPlane } from '../observed/observed-plane.ts'
import { maintainPlane } from '../maintain/maintain-plane.ts'
import { omitUndefined } from '../../../shared/omit-undefined.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import { type PlaneRecord, unfinishedOf } from '../record/plane-record.ts'
import {
  duringOperation,
  operationStatus,
} from '../../../control-plane/operations/operation-status.ts'
import { isHeld } from '../record/plane-lease.ts'
import { planeEvents } from './plane-events.ts'
import { planeStatus } from './plane-status.ts'

export interface ReadStatusOptions extends StatusOptions {
  plane: Plane
  observed: ObservedPlane
  access: Pick<PlaneStatus, 'server' | 'endpoints'>
  signal: AbortSignal
}

/** @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when the plane was deleted. */
export async function readStatus(
  context: Pick<KubernetesContext, 'diagnose' | 'host' | 'live' | 'now'>,
  { access, events = false, observed, plane, signal }: ReadStatusOptions,
): Promise<PlaneStatus> {
  const { name, namespace, record } = presentRecord(observed.stored, plane)
  const { api, context: hostContext } = await context.host()
  const { api: live } = await (context.live ?? context.host)()
  const place = { name, namespace }
  const isRunning = componentsOf(record.spec).every(
    (component) =>
      observed.pods(component).filter(isReadyPod).length >= replicasOf(record, component),
  )
  const now = context.now()
  const reference = { driver: 'kubernetes', ...place } as const
  const [problems, observedEvents, networkPolicies, operation, keeper] = await Promise.all([
    isRunning || record.desired !== 'running'
      ? []
      : context.diagnose({ ...place, api: live, hostContext, signal }),
    events ? planeEvents(api, place, { now, signal }) : undefined,
    // The report of a syncer that stopped stays, and may be outdated.
    events && observed.pods('syncer').some(isReadyPod)
      ? readPolicyEffect(api, place, signal)
      : undefined,
    operationStatus(reference, { journal: record.journal, unfinished: unfinishedOf(record) }, () =>
      isHeld(api, { ...place, now }, signal),
    ),
    readKeeperStatus(record, observed),
    maintainPlane(context, live, { place, record, observed, signal }),
  ])
  return {
    ...duringOperation(planeStatus(record, { observed, problems, now }), operation),
    ...access,
    ...omitUndefined({ events: observedEvents, networkPolicies, operation }),
    ...keeper,
  }
}

async function readPolicyEffect(
  api: Pick<HostApi, 'get'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<NetworkPolicyEffect | undefined> {
  const place = { name: objectName(name, 'syncer-status'), namespace }
  return networkPolicyEffectOf(await api.get(objectPath('configmaps', place), { signal }))
}

/** @throws {VplaneError} `FAILED` when a newer vplane wrote the status of the keeper. */
async function readKeeperStatus(
  record: Pick<PlaneRecord, 'declaredBy' | 'desired' | 'spec'>,
  { keeperStatus }: ObservedPlane,
): Promise<KeeperPart> {
  if (record.spec.host?.keeper === undefined && !isKeptByOperator(record)) {
    return {}
  }
  const { alarms, backup, idle, wakes } = keeperStatusOf(await keeperStatus())
  const { desired, spec } = record
  return keeperPart(
    { desired: desired === 'running' ? 'running' : 'paused', spec },
    { alarms: () => alarms, backup: () => backup, idle: () => idle, wakes: () => wakes },
  )
}
