import type { Diagnosis, PlaneFault } from '../../../control-plane/repair.ts'
import { diagnoseMembers } from '../../../etcd/diagnose-members.ts'
import { hostedCluster } from '../change/hosted-cluster.ts'
import type { KubernetesContext } from '../context.ts'
import { keptKeys } from '../create/kept-keys.ts'
import { replicasOf } from '../start/workloads.ts'
import { lookAtPlane } from '../status/look.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import type { ReadableRecord } from '../store/record-store.ts'
import { lookAtMembers } from './look-at-members.ts'
import { otherFaults } from './other-faults.ts'

/**
 * What is wrong with a plane that is to run. Touches nothing.
 *
 * @throws {VplaneError} `FAILED` when its keys are lost, `UNREACHABLE` when the host cluster cannot be asked.
 */
export async function diagnosePlane(
  { diagnose, host: openHost, now }: Pick<KubernetesContext, 'diagnose' | 'host' | 'now'>,
  { name, namespace, record }: Pick<ReadableRecord, 'name' | 'namespace' | 'record'>,
  signal: AbortSignal,
): Promise<Diagnosis> {
  const place = { name, namespace }
  if (!record.isComplete) {
    const reason = 'its making was cut off'
    return { faults: [{ component: 'etcd', instance: name, reason, remedy: 'start' }] }
  }
  const host = await openHost()
  const { api, context: hostContext } = host
  const [look, problems, files] = await Promise.all([
    lookAtPlane(api, place, signal),
    diagnose({ ...place, api, hostContext, signal }),
    keptKeys(api, place, signal),
  ])
  const count = replicasOf(record, 'etcd')
  const cluster = hostedCluster(host, place, { files, count: () => count })
  const seen = { api, cluster, place, count, look, problems, now: now() }
  const etcd = diagnoseMembers(await lookAtMembers(seen, signal))
  const isEtcdFine = etcd.faults.length === 0
  const others = otherFaults({ record, look, problems, isEtcdFine, now: now() })
  return { ...etcd, faults: [...sparingData(record, etcd), ...others] }
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
