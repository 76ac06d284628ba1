import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { Diagnosis, PlaneFault, Remedy } from '../../../control-plane/driver/repair.ts'
import {
  type EtcdCluster,
  requireLeader,
  workingOrdinals,
} from '../../../etcd/members/etcd-cluster.ts'
import { freeSpace } from '../../../etcd/repair/free-space.ts'
import type { ChangeContext } from '../objects/change-context.ts'
import { retryTransient } from '../etcd/members/change-member.ts'
import { clusterOf } from '../etcd/hosted-etcd.ts'
import { dataOf, wantedMembers } from '../etcd/members/planned-etcd.ts'
import { reconcileMembers } from '../etcd/members/reconcile-members.ts'
import { replicasOf } from '../observed/workloads.ts'
import { waitForComponent } from '../workloads/wait-for-component.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { KubernetesContext } from '../context/context.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import { isOfPlane, isShared } from '../context/object-names.ts'
import { holdPlane } from '../record/hold-plane.ts'
import { repairPlane } from '../maintain/repair-plane.ts'
import type { ReadableRecord } from '../record/record-store.ts'
import { diagnosePlane } from './diagnose-plane.ts'

/**
 * Repairs the faults of a plane that vplane can repair without data loss: restores missing workloads, replaces stuck
 * pods, lets members of etcd without data copy that of the others, removes surplus members, and frees space in a full
 * etcd. A second call continues an interrupted repair. Changes nothing when a member would lose its volume that is not
 * among the faults that were shown, and returns what it found.
 *
 * @throws {VplaneError} `FAILED` when the plane is half deleted or half restored, `COMPONENT_FAILED` when a component
 * cannot run, `TIMED_OUT`.
 */
export async function repairFaults(
  { diagnose, host: openHost, now }: Pick<KubernetesContext, 'diagnose' | 'host' | 'now'>,
  { name, namespace, record }: ReadableRecord,
  { operation, shown }: { operation: Operation; shown: readonly PlaneFault[] },
): Promise<Diagnosis | undefined> {
  const host = await openHost()
  const { signal } = operation
  const place = { name, namespace }
  const options = { place, id: record.id, operation: 'repair', now } as const
  await using held = await holdPlane(host, options, operation)
  const { journal } = held
  const found = await diagnosePlane({ diagnose, host: openHost, now }, journal.stored, signal)
  const { faults } = found
  if (replaced(faults).some((instance) => !replaced(shown).includes(instance))) {
    return found
  }
  const of = (remedy: Remedy) => faults.filter((fault) => fault.remedy === remedy)
  if (of('start').length > 0) {
    operation.ui.step('Restoring missing workloads')
    await repairPlane(host.api, journal, { place, now, signal })
  }
  const files = await storedKeys(host.api, place, signal)
  const context = { diagnose, files, host, journal, now, operation, place }
  const cluster = clusterOf(context)
  for (const fault of of('restart')) {
    await replacePod(context, fault)
  }
  const lost = replaced(faults)
  const surplus = of('remove')
  if (lost.length + surplus.length + of('free-space').length > 0) {
    await waitForMajority(context, cluster)
  }
  if (of('free-space').length > 0) {
    await freeLeaderLast(context, cluster)
  }
  if (lost.length + surplus.length + of('disarm').length > 0) {
    const { ephemeral: isEphemeral } = journal.record.spec
    const ordinals = lost.map((instance) => Number(/-(\d+)$/.exec(instance)?.[1]))
    // A change of the number that was interrupted is left to its own command.
    const count = replicasOf(journal.record, 'etcd')
    const damaged = await dataOf(context, { isEphemeral, ordinals }, signal)
    await reconcileMembers(
      { ...context, cluster },
      wantedMembers(journal.record, { damaged, count }),
    )
  }
  await journal.finish()
  return undefined
}

/** The members that lose their volume. */
function replaced(faults: readonly PlaneFault[]): string[] {
  return faults.filter(({ remedy }) => remedy === 'replace').map(({ instance }) => instance)
}

/** Deletes a pod; the host creates a new one at once. */
async function replacePod(
  { host, journal, operation, place }: ChangeContext,
  { instance }: PlaneFault,
): Promise<void> {
  const { signal, ui } = operation
  const path = objectPath('pods', { name: instance, namespace: place.namespace })
  const pod = await host.api.get(path, { signal })
  if (pod === undefined || !(isOfPlane(pod, place.name) || isShared(pod))) {
    return
  }
  ui.step(`Restarting ${instance}`)
  await journal.step(`restarting ${instance}`)
  await host.api.delete(path, { signal, uid: pod.metadata.uid })
}

/** Restarted members may have to connect to each other first. */
async function waitForMajority(context: ChangeContext, cluster: EtcdCluster): Promise<void> {
  await waitForComponent(context, {
    component: 'etcd',
    what: 'a majority of etcd',
    pods: [],
    check: async (deadline) => workingOrdinals(await cluster.probe(deadline)).length > 0,
  })
}

async function freeLeaderLast(context: ChangeContext, cluster: EtcdCluster): Promise<void> {
  const { journal, operation } = context
  const { signal } = operation
  await journal.step('making room in etcd')
  await retryTransient(context, 'its space', async () => {
    const probed = await cluster.probe(signal)
    const leader = requireLeader(probed, `etcd of "${context.place.name}"`)
    const working = workingOrdinals(probed)
    const last = working.filter((ordinal) => ordinal === leader)
    const followers = working.filter((ordinal) => ordinal !== leader)
    const members = [...followers, ...last].map((ordinal) => cluster.at(ordinal))
    await freeSpace(members, operation)
  })
}
