import type { Diagnosis, PlaneFault } from '../../../control-plane/driver/repair.ts'
import { diagnoseMembers } from '../../../etcd/repair/diagnose-members.ts'
import { memberName } from '../../../manifests/pod-layout.ts'
import type { KubernetesContext } from '../context/context.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import type { ReadableRecord } from '../record/record-store.ts'
import { otherFaults } from './other-faults.ts'
import { inspectPlane } from './inspect-plane.ts'

/** That of a plane of which a new etcd was to be made. */
const UNFINISHED: PlaneFault = {
  component: 'etcd',
  instance: 'etcd',
  reason: 'a new one was to be made of what its members have, and that was cut off',
  remedy: 'choose',
}

/**
 * What is wrong with a plane that is to run. Touches nothing.
 *
 * @throws {VplaneError} `FAILED` when its keys are lost, `UNREACHABLE` when the host cluster cannot be asked.
 */
export async function diagnosePlane(
  context: Pick<KubernetesContext, 'diagnose' | 'host' | 'now'>,
  { name, namespace, record }: Pick<ReadableRecord, 'name' | 'namespace' | 'record'>,
  signal: AbortSignal,
): Promise<Diagnosis> {
  if (!record.isComplete) {
    const reason = 'its creation was interrupted'
    return { faults: [{ component: 'etcd', instance: name, reason, remedy: 'start' }] }
  }
  const seen = await inspectPlane(context, { name, namespace, record }, signal)
  const { look, members, problems, surplus } = seen
  // Its clients may have seen more than it has now: with a majority alone it is not well.
  const isUnfinished = record.regaining !== undefined
  const etcd = diagnoseMembers(members, isUnfinished)
  const isEtcdFine = isServing(etcd, members.length) && !isUnfinished
  const others = otherFaults({ record, look, problems, isEtcdFine, now: context.now() })
  const found = [
    ...sparingData(record, etcd),
    ...surplus.map((ordinal) => surplusFault(memberName(name, ordinal))),
    ...others,
  ]
  return {
    ...etcd,
    ...(isUnfinished ? { isUnfinished, faults: [UNFINISHED, ...found] } : { faults: found }),
  }
}

/** That of a member that was left behind when etcd got another number of members. */
function surplusFault(instance: string): PlaneFault {
  const reason = 'etcd has it as a member, and it is none of the plane'
  return { component: 'etcd', instance, reason, remedy: 'remove' }
}

/** Whether a majority of etcd works and takes writes: what needs it is not broken by the members that do not. */
function isServing({ faults, survivors }: Diagnosis, count: number): boolean {
  return (
    survivors === undefined &&
    faults.length * 2 < count &&
    !faults.some(({ remedy }) => remedy === 'free-space')
  )
}

/**
 * With its pod a member of an ephemeral plane's etcd loses its data: as one of several that work it gets that of the others,
 * any other one is left to the host, which restarts what is in the pod.
 */
function sparingData(
  { spec }: Pick<PlaneRecord, 'spec'>,
  { faults, survivors }: Diagnosis,
): PlaneFault[] {
  const count = spec.host?.etcd.replicas ?? 1
  const isReplaceable = survivors === undefined && faults.length * 2 < count
  const hints = ['its data is in that pod: the host cluster restarts its container by itself']
  return faults.map((fault) => {
    if (!spec.ephemeral || fault.remedy !== 'restart') {
      return fault
    }
    return isReplaceable ? { ...fault, remedy: 'replace' } : { ...fault, remedy: 'none', hints }
  })
}
