import type { EtcdCluster } from '../../../etcd/etcd-cluster.ts'
import { memberName } from '../../../manifests/pod-layout.ts'
import { collectionPath, objectPath } from '../collections.ts'
import { planeSelector } from '../object-names.ts'
import { replicasOf } from '../start/workloads.ts'
import { isReadyPod } from '../status/look.ts'
import { applyMembers, closeEtcd } from './apply-members.ts'
import { addMember, patiently, removeMember, waitForCopy } from './change-member.ts'
import type { ChangeContext } from './change-context.ts'
import { refuseBroken } from './refuse-broken.ts'
import { removeSurplus } from './remove-surplus.ts'
import { removeVolumes } from './remove-volumes.ts'
import { waitForComponent } from './wait-for-component.ts'

/**
 * Gives etcd as many members as a plane's spec says, one at a time: who comes copies everything before it gets a vote, who
 * goes hands the lead over and leaves the cluster before its pod and its volume go. Whatever was begun before is gone on
 * with. The first member always stays.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when a member cannot run, `TIMED_OUT` when the cluster is not healthy enough.
 */
export async function scaleEtcd(context: ChangeContext, cluster: EtcdCluster): Promise<void> {
  const { journal } = context
  const wanted = journal.record.spec.host?.etcd.replicas ?? 1
  for (let ordinal = 1; ordinal < wanted; ordinal += 1) {
    await ensureMember(context, cluster, ordinal)
  }
  while (replicasOf(journal.record, 'etcd') > wanted) {
    await removeLast(context, cluster, replicasOf(journal.record, 'etcd') - 1)
  }
  if (!journal.record.spec.ephemeral) {
    await removeVolumes(context, wanted)
  }
  await closeEtcd(context)
}

async function ensureMember(
  context: ChangeContext,
  cluster: EtcdCluster,
  ordinal: number,
): Promise<void> {
  const { journal, operation, place } = context
  const { signal, ui } = operation
  const name = memberName(place.name, ordinal)
  const present = replicasOf(journal.record, 'etcd')
  const known = await patiently(context, name, () => cluster.member(ordinal, signal))
  if (known !== undefined && known.name !== '' && !known.isLearner && ordinal < present) {
    return
  }
  ui.step(`Adding ${name}`)
  await journal.step(`adding ${name}`)
  if (known === undefined) {
    await refuseBroken(context, cluster, {
      isFine: (working) => working.length >= ordinal,
      members: ordinal,
      why: 'etcd takes no other member until all it has work',
    })
    if (ordinal < present) {
      // It left the cluster, and its pod was not stopped yet.
      await journal.step(`stopping ${name}`, { etcdMembers: ordinal })
      await applyMembers(context)
    }
    await patiently(context, name, () => removeSurplus(context, cluster))
    // Data of a member that was removed would keep the new one from starting.
    await removeVolumes(context, ordinal)
    await addMember(context, cluster, ordinal)
  }
  const etcdMembers = Math.max(present, ordinal + 1)
  // Whoever was there before has data, or nobody could join.
  await journal.step(`starting ${name}`, {
    etcdMembers,
    joining: ordinal,
    absent: undefined,
    hasData: true,
  })
  await applyMembers(context)
  await waitForCopy(context, cluster, ordinal)
  await waitForMembers(context, ordinal + 1)
}

async function removeLast(
  context: ChangeContext,
  cluster: EtcdCluster,
  ordinal: number,
): Promise<void> {
  const { host, journal, operation, place } = context
  const { signal, ui } = operation
  const name = memberName(place.name, ordinal)
  ui.step(`Removing ${name}`)
  await journal.step(`removing ${name}`)
  const known = await patiently(context, name, () => cluster.member(ordinal, signal))
  if (known !== undefined) {
    await refuseBroken(context, cluster, {
      isFine: (working) => working.length * 2 > ordinal,
      members: ordinal,
      why: `without ${name}, etcd would have no majority`,
    })
    await removeMember(context, cluster, ordinal)
  }
  await journal.step(`stopping ${name}`, { etcdMembers: ordinal })
  await applyMembers(context)
  const path = objectPath('pods', { name, namespace: place.namespace })
  await waitForComponent(context, {
    component: 'etcd',
    what: `the end of ${name}`,
    pods: [name],
    look: async (deadline) => (await host.api.get(path, { signal: deadline })) === undefined,
  })
}

/** Nothing is changed of a cluster that may be about to lose its majority. */
async function waitForMembers(context: ChangeContext, count: number): Promise<void> {
  const { host, place } = context
  const { name, namespace } = place
  const names = Array.from({ length: count }, (_, ordinal) => memberName(name, ordinal))
  const path = collectionPath('pods', namespace)
  await waitForComponent(context, {
    component: 'etcd',
    what: `the readiness of ${names.join(', ')}`,
    look: async (deadline) => {
      const options = { labelSelector: planeSelector(name), signal: deadline }
      const { items } = await host.api.list(path, options)
      const ready = items.filter(isReadyPod).map(({ metadata }) => metadata.name)
      return names.every((one) => ready.includes(one))
    },
  })
}
