import { type EtcdCluster, MOST_MEMBERS } from '../../../../etcd/members/etcd-cluster.ts'
import { memberName } from '../../../../manifests/pod-layout.ts'
import { collectionPath, objectPath } from '../../../../shared/kube/collections.ts'
import { planeSelector } from '../../context/object-names.ts'
import { replicasOf } from '../../observed/workloads.ts'
import { isReadyPod } from '../../observed/observed-plane.ts'
import { applyMembers, finishJoining } from './apply-members.ts'
import { addMember, retryTransient, removeMember, waitForCopy } from './change-member.ts'
import type { ChangeContext } from '../../objects/change-context.ts'
import { refuseBroken, refuseMinority } from './refuse-broken.ts'
import { removeSurplus } from './remove-surplus.ts'
import { removeVolume, surplusVolumes } from './member-volumes.ts'
import { rejoinMember } from './replace-members.ts'
import { waitForComponent } from '../../workloads/wait-for-component.ts'

/**
 * Gives etcd as many members as a plane's spec wants, one at a time: a new member copies all data before it gets a
 * vote; a surplus member hands over the lead and is removed from etcd before its pod and its volume are deleted.
 * Continues an interrupted change or replacement: a pod without a member gets one before the number of members changes.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when a member cannot run, `TIMED_OUT` when the cluster is not healthy
 * enough.
 */
export async function scaleEtcd(context: ChangeContext, cluster: EtcdCluster): Promise<void> {
  const { journal } = context
  const wanted = journal.record.spec.host?.etcd.replicas ?? 1
  // A single member is always in its own list, and may not respond before its pod is replaced.
  const isSingle = wanted === 1 && replicasOf(journal.record, 'etcd') === 1
  for (let ordinal = isSingle ? 1 : 0; ordinal < wanted; ordinal += 1) {
    await ensureMember(context, cluster, ordinal)
  }
  while (replicasOf(journal.record, 'etcd') > wanted) {
    await removeLast(context, cluster, replicasOf(journal.record, 'etcd') - 1)
  }
  if (!journal.record.spec.ephemeral) {
    for (const ordinal of await surplusVolumes(context, { count: wanted, most: MOST_MEMBERS })) {
      await removeVolume(context, cluster, ordinal)
    }
  }
  await finishJoining(context)
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
  const known = await retryTransient(context, name, () => cluster.member(ordinal, signal))
  if (known !== undefined && known.name !== '' && !known.isLearner && ordinal < present) {
    return
  }
  const hasMember = known !== undefined && (!known.isLearner || known.name !== '')
  if (ordinal < present && !hasMember) {
    return continueReplacement(context, cluster, ordinal)
  }
  ui.step(`Adding ${name}`)
  await journal.step(`adding ${name}`)
  if (known === undefined) {
    await refuseBroken(context, cluster, {
      isFine: (working) => working.length >= ordinal,
      members: ordinal,
      why: 'etcd takes no other member until all it has work',
    })
    await retryTransient(context, name, () => removeSurplus(context, cluster))
    if (!journal.record.spec.ephemeral) {
      // With data of a removed member the new member would not start.
      await removeVolume(context, cluster, ordinal)
    }
    await addMember(context, cluster, ordinal)
  }
  const absent = await retryTransient(context, name, () => cluster.absent(signal))
  // The former members have data, otherwise none could join.
  await journal.step(`starting ${name}`, {
    etcdMembers: Math.max(present, ordinal + 1),
    joining: ordinal,
    absent: absent.filter((other) => other !== ordinal),
    hasData: true,
  })
  await applyMembers(context, cluster)
  await waitForCopy(context, cluster, ordinal)
  await waitForMembers(context, ordinal + 1)
}

/**
 * Continues an interrupted replacement: the pod of an ordinal exists, and etcd has no member for it, or one without a
 * vote that never started. Its volume has the data of a member that etcd has removed.
 */
async function continueReplacement(
  context: ChangeContext,
  cluster: EtcdCluster,
  ordinal: number,
): Promise<void> {
  const { operation, place } = context
  const name = memberName(place.name, ordinal)
  const voters = await retryTransient(context, name, () => cluster.voters(operation.signal))
  await refuseBroken(context, cluster, {
    isFine: (working) => voters.every((voter) => working.includes(voter)),
    members: Math.max(...voters) + 1,
    why: 'etcd takes no other member until all it has work',
  })
  await retryTransient(context, name, () => removeSurplus(context, cluster))
  // A member that never started may belong to a pod with the data of its predecessor.
  await removeMember(context, cluster, ordinal)
  await rejoinMember(context, cluster, ordinal)
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
  const known = await retryTransient(context, name, () => cluster.member(ordinal, signal))
  if (known !== undefined) {
    await refuseMinority(context, cluster, ordinal)
    await removeMember(context, cluster, ordinal)
  }
  await retryTransient(context, name, () => removeSurplus(context, cluster))
  await journal.step(`stopping ${name}`, { etcdMembers: ordinal })
  await applyMembers(context, cluster)
  const path = objectPath('pods', { name, namespace: place.namespace })
  await waitForComponent(context, {
    component: 'etcd',
    what: `the end of ${name}`,
    pods: [name],
    check: async (deadline) => (await host.api.get(path, { signal: deadline })) === undefined,
  })
}

/** Waits until the first members are ready, because a change could otherwise cost etcd its majority. */
async function waitForMembers(context: ChangeContext, count: number): Promise<void> {
  const { host, place } = context
  const { name, namespace } = place
  const names = Array.from({ length: count }, (_, ordinal) => memberName(name, ordinal))
  const path = collectionPath('pods', namespace)
  await waitForComponent(context, {
    component: 'etcd',
    what: `the readiness of ${names.join(', ')}`,
    check: async (deadline) => {
      const options = { labelSelector: planeSelector(name), signal: deadline }
      const { items } = await host.api.list(path, options)
      const ready = items.filter(isReadyPod).map(({ metadata }) => metadata.name)
      return names.every((one) => ready.includes(one))
    },
  })
}
