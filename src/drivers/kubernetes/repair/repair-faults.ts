import type { Operation } from '../../../control-plane/driver/operation.ts'
import { refuseHalfRestored } from '../../../control-plane/plane/refuse-half-restored.ts'
import type { PlaneFault, Remedy } from '../../../control-plane/driver/repair.ts'
import type { EtcdCluster } from '../../../etcd/members/etcd-cluster.ts'
import { freeSpace } from '../../../etcd/repair/free-space.ts'
import { memberName } from '../../../manifests/pod-layout.ts'
import type { ChangeContext } from '../objects/change-context.ts'
import { patiently } from '../etcd/members/change-member.ts'
import { clusterOf } from '../etcd/hosted-cluster.ts'
import { replaceMembers } from '../etcd/members/replace-members.ts'
import { removeSurplus } from '../etcd/members/remove-surplus.ts'
import { waitForComponent } from '../workloads/wait-for-component.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { KubernetesContext } from '../context/context.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import { isOfPlane } from '../context/object-names.ts'
import { holdPlane, refuseHalfDeleted } from '../record/hold-plane.ts'
import { repairPlane } from '../maintain/repair-plane.ts'
import { replicasOf } from '../observed/workloads.ts'
import type { ReadableRecord } from '../record/record-store.ts'
import { diagnosePlane } from './diagnose-plane.ts'

/**
 * Does what vplane can do about what is wrong with a plane now: puts back and starts what is missing, replaces the pods
 * of what is stuck, gives members of etcd without data that of the others, takes those out that are none of the plane, and makes room in a full etcd. What would lose
 * data is left as it is. One that was cut off goes on when it is called again.
 *
 * @throws {VplaneError} `FAILED` when it is half deleted or half restored, `COMPONENT_FAILED` when something cannot run,
 * `TIMED_OUT`.
 */
export async function repairFaults(
  { diagnose, host: openHost, now }: Pick<KubernetesContext, 'diagnose' | 'host' | 'now'>,
  { name, namespace, record }: ReadableRecord,
  operation: Operation,
): Promise<void> {
  const host = await openHost()
  const { signal } = operation
  const place = { name, namespace }
  const options = { place, id: record.id, operation: 'repair', now } as const
  await using held = await holdPlane(host, options, operation)
  const { journal } = held
  refuseHalfDeleted(journal.record)
  refuseHalfRestored(journal.record)
  const { faults } = await diagnosePlane({ diagnose, host: openHost, now }, journal.stored, signal)
  const of = (remedy: Remedy) => faults.filter((fault) => fault.remedy === remedy)
  if (of('start').length > 0) {
    operation.ui.step('Putting back what is missing')
    await repairPlane(host.api, journal, { place, now, signal })
  }
  const files = await storedKeys(host.api, place, signal)
  const context = { diagnose, files, host, journal, now, operation, place }
  const cluster = clusterOf(context)
  for (const fault of of('restart')) {
    await replacePod(context, fault)
  }
  const lost = of('replace').map(({ instance }) => instance)
  const surplus = of('remove')
  if (lost.length + surplus.length + of('free-space').length > 0) {
    await waitForMajority(context, cluster)
  }
  if (surplus.length > 0) {
    // etcd takes nobody new while it has one that never started.
    await patiently(context, 'its members', () =>
      removeSurplus(context, cluster, { working: 'stay' }),
    )
  }
  const ordinals = Array.from(
    { length: replicasOf(journal.record, 'etcd') },
    (_, ordinal) => ordinal,
  )
  await replaceMembers(
    context,
    cluster,
    ordinals.filter((ordinal) => lost.includes(memberName(name, ordinal))),
  )
  if (of('free-space').length > 0) {
    await makeRoom(context, cluster)
  }
  await journal.finish({ joining: undefined, absent: undefined })
}

/** The host makes another pod, at once, whatever it waited for. */
async function replacePod(
  { host, journal, operation, place }: ChangeContext,
  { instance }: PlaneFault,
): Promise<void> {
  const { signal, ui } = operation
  const path = objectPath('pods', { name: instance, namespace: place.namespace })
  const pod = await host.api.get(path, { signal })
  if (pod === undefined || !isOfPlane(pod, place.name)) {
    return
  }
  ui.step(`Restarting ${instance}`)
  await journal.step(`restarting ${instance}`)
  const { uid } = pod.metadata
  await host.api.delete(path, { signal, ...(uid === undefined ? {} : { uid }) })
}

/** Members that were restarted or put back may have to find each other first. */
async function waitForMajority(context: ChangeContext, cluster: EtcdCluster): Promise<void> {
  await waitForComponent(context, {
    component: 'etcd',
    what: 'a majority of etcd',
    pods: [],
    check: async (deadline) => (await cluster.working(deadline)).length > 0,
  })
}

async function makeRoom(context: ChangeContext, cluster: EtcdCluster): Promise<void> {
  const { journal, operation } = context
  const { signal } = operation
  await journal.step('making room in etcd')
  await patiently(context, 'its space', async () => {
    const leader = await cluster.leader(signal)
    const working = await cluster.working(signal)
    const last = working.filter((ordinal) => ordinal === leader)
    const followers = working.filter((ordinal) => ordinal !== leader)
    const members = [...followers, ...last].map((ordinal) => cluster.at(ordinal))
    await freeSpace(members, operation)
  })
}
