import type { Diagnosis, PlaneFault } from '../../../control-plane/driver/repair.ts'
import { canStore, ownStoreOf, storeOf } from '../../../control-plane/store/store.ts'
import { diagnoseMembers } from '../../../etcd/repair/diagnose-members.ts'
import { memberName } from '../../../manifests/pod-layout.ts'
import type { KubernetesContext } from '../context/context.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import type { ReadableRecord } from '../record/record-store.ts'
import { kineFaults } from './kine-faults.ts'
import { sharedEtcdFaults } from './shared-etcd-faults.ts'
import { otherFaults } from './other-faults.ts'
import { hostedCluster } from '../etcd/hosted-etcd.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import type { ComponentProblem } from '../context/problem.ts'
import { replicasOf } from '../observed/workloads.ts'
import { type ObservedPlane, observePlane } from '../observed/observed-plane.ts'
import { type ObservedMembers, observeMembers } from './observe-members.ts'

const UNFINISHED: PlaneFault = {
  component: 'etcd',
  instance: 'etcd',
  reason: 'the repair from its members with data was interrupted',
  remedy: 'choose',
}

const UNDECIDED: PlaneFault = {
  component: 'etcd',
  instance: 'etcd',
  reason: 'its members have different data, and no majority of them has the same',
  remedy: 'restore',
}

const ALARMED: PlaneFault = {
  component: 'etcd',
  instance: 'etcd',
  reason: 'it has an alarm whose cause is gone, and does not serve all requests',
  remedy: 'disarm',
}

/**
 * Returns the faults of a plane that should run. Changes nothing.
 *
 * @throws {VplaneError} `FAILED` when its keys are lost, `UNREACHABLE` when the host cluster does not respond.
 */
export async function diagnosePlane(
  context: Pick<KubernetesContext, 'diagnose' | 'host' | 'now'>,
  { name, namespace, record }: Pick<ReadableRecord, 'name' | 'namespace' | 'record'>,
  signal: AbortSignal,
): Promise<Diagnosis> {
  if (!record.isComplete) {
    const reason = 'its creation was interrupted'
    const component = ownStoreOf(record.spec) ?? 'kube-apiserver'
    return { faults: [{ component, instance: name, reason, remedy: 'start' }] }
  }
  if (!canStore(record.spec, 'members')) {
    return { faults: await faultsWithoutMembers(context, { name, namespace, record }, signal) }
  }
  const inspected = await inspectPlane(context, { name, namespace, record }, signal)
  const { isAlarmStale, isUndecided, members, observed, problems, surplus } = inspected
  // A majority alone is not enough: clients may have read data that etcd does not have now.
  const isUnfinished = record.regaining !== undefined
  const etcd = diagnoseMembers(members, isUnfinished)
  const isEtcdFine = isServing(etcd, members.length) && !isUnfinished
  const others = otherFaults({ record, observed, problems, isEtcdFine, now: context.now() })
  const found = [
    ...(isUndecided ? [UNDECIDED] : []),
    ...(isAlarmStale ? [ALARMED] : []),
    ...sparingData(record, etcd),
    ...surplus.map((ordinal) => surplusFault(memberName(name, ordinal))),
    ...others,
  ]
  return {
    ...etcd,
    ...(isUnfinished ? { isUnfinished, faults: [UNFINISHED, ...found] } : { faults: found }),
  }
}

async function faultsWithoutMembers(
  { diagnose, host: openHost, now }: Pick<KubernetesContext, 'diagnose' | 'host' | 'now'>,
  { name, namespace, record }: Pick<ReadableRecord, 'name' | 'namespace' | 'record'>,
  signal: AbortSignal,
): Promise<PlaneFault[]> {
  const place = { name, namespace }
  const host = await openHost()
  const [observed, problems] = await Promise.all([
    observePlane(host.api, place, signal),
    diagnose({ ...place, api: host.api, hostContext: host.context, signal }),
  ])
  const facts = { observed, problems, now: now() }
  const ofStore = [
    ...(await kineFaults({ ...facts, host, place }, signal)),
    ...(await sharedEtcdFaults({ host, observed, place, record }, signal)),
  ]
  // Without their store, other components end.
  const others = otherFaults({ ...facts, record, isEtcdFine: ofStore.length === 0 })
  return sparingData(record, { faults: [...ofStore, ...others] })
}

/** The fault of a member that remained in etcd after its number of members was changed. */
function surplusFault(instance: string): PlaneFault {
  const reason = 'etcd has it as a member, and it is none of the plane'
  return { component: 'etcd', instance, reason, remedy: 'remove' }
}

/** Whether a majority of etcd works and accepts writes: then failed members do not break the other components. */
function isServing({ faults, survivors }: Diagnosis, count: number): boolean {
  return (
    survivors === undefined &&
    faults.length * 2 < count &&
    !faults.some(({ remedy }) => remedy === 'free-space')
  )
}

/**
 * A member of an ephemeral plane's etcd loses its data with its pod. If a majority works, the member is replaced and
 * copies the data of the others; otherwise its pod is left to the host, which restarts the containers in it.
 */
function sparingData(
  { spec }: Pick<PlaneRecord, 'spec'>,
  { faults, survivors }: Diagnosis,
): PlaneFault[] {
  const count = spec.host?.etcd.replicas ?? 1
  const isReplaceable = survivors === undefined && faults.length * 2 < count
  const hints = ['its data is in that pod: the host cluster restarts its container by itself']
  const { component } = storeOf(spec)
  return faults.map((fault) => {
    if (!spec.ephemeral || fault.remedy !== 'restart' || fault.component !== component) {
      return fault
    }
    return isReplaceable ? { ...fault, remedy: 'replace' } : { ...fault, remedy: 'none', hints }
  })
}

export interface InspectedPlane extends ObservedMembers {
  observed: ObservedPlane
  problems: ComponentProblem[]
}

/**
 * Reads the state of a plane from the host and from the members of its etcd.
 * @throws {VplaneError} `FAILED` when its keys are lost, `UNREACHABLE` when the host cluster does not respond.
 */
export async function inspectPlane(
  { diagnose, host: openHost, now }: Pick<KubernetesContext, 'diagnose' | 'host' | 'now'>,
  { name, namespace, record }: Pick<ReadableRecord, 'name' | 'namespace' | 'record'>,
  signal: AbortSignal,
): Promise<InspectedPlane> {
  const place = { name, namespace }
  const host = await openHost()
  const { api, context: hostContext } = host
  const [observed, problems, files] = await Promise.all([
    observePlane(api, place, signal),
    diagnose({ ...place, api, hostContext, signal }),
    storedKeys(api, place, signal),
  ])
  const count = replicasOf(record, 'etcd')
  const cluster = hostedCluster(host, place, { files, count: () => count })
  const { ephemeral: isEphemeral } = record.spec
  const context = { host, isEphemeral, cluster, place, count, observed, problems, now: now() }
  return { observed, problems, ...(await observeMembers(context, signal)) }
}
