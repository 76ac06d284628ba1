import type { EtcdCluster } from '../../../../etcd/members/etcd-cluster.ts'
import { memberName } from '../../../../manifests/pod-layout.ts'
import { applyMembers, closeEtcd } from './apply-members.ts'
import type { ChangeContext } from '../../objects/change-context.ts'
import { addMember, patiently, removeMember, waitForCopy } from './change-member.ts'
import { emptyMember } from './empty-member.ts'
import { refuseBroken, refuseMinority } from './refuse-broken.ts'
import { waitForComponent } from '../../workloads/wait-for-component.ts'
import { objectPath } from '../../../../shared/kube/collections.ts'
import { isReadyPod } from '../../observed/observed-plane.ts'

/**
 * Gives members of etcd the data of the others in the place of what they have. All of them leave the cluster first: it
 * takes no new member while it has one that does not work. Then one after the other comes back with an empty volume,
 * copies everything, and gets its vote. One that was cut off goes on when it is called again.
 *
 * @throws {VplaneError} `FAILED` when the others are no majority, `COMPONENT_FAILED` when a member cannot run, `TIMED_OUT`.
 */
export async function replaceMembers(
  context: ChangeContext,
  cluster: EtcdCluster,
  ordinals: readonly number[],
): Promise<void> {
  if (ordinals.length === 0) {
    return
  }
  const { journal, operation, place } = context
  const { signal } = operation
  const names = ordinals.map((ordinal) => memberName(place.name, ordinal)).join(', ')
  // As etcd counts them: a replacement that was interrupted has left it with fewer than there are pods.
  const voters = await patiently(context, names, () => cluster.voters(signal))
  const members = Math.max(...voters) + 1
  // Before the first of them leaves: the others could do without it, but not without the next one.
  await refuseBroken(context, cluster, {
    members,
    isFine: (working) =>
      working.filter((one) => !ordinals.includes(one)).length * 2 > voters.length,
    why: `without ${names}, etcd would have no majority`,
  })
  for (const ordinal of ordinals) {
    const name = memberName(place.name, ordinal)
    operation.ui.step(`Taking ${name} out of etcd`)
    await journal.step(`taking ${name} out of etcd`)
    await refuseMinority(context, cluster, ordinal)
    await removeMember(context, cluster, ordinal)
  }
  for (const ordinal of ordinals) {
    await bringBackMember(context, cluster, ordinal)
  }
}

/**
 * Adds a member for the pod of an ordinal of which etcd knows none, with an empty volume, and waits until it has copied
 * everything and has its vote.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when the member cannot run, `TIMED_OUT`.
 */
export async function bringBackMember(
  context: ChangeContext,
  cluster: EtcdCluster,
  ordinal: number,
): Promise<void> {
  const { host, journal, operation, place } = context
  const name = memberName(place.name, ordinal)
  const { signal, ui } = operation
  ui.step(`Emptying the volume of ${name}`)
  const absent = await patiently(context, name, () => cluster.absent(signal))
  const others = absent.filter((other) => other !== ordinal)
  await journal.step(`emptying ${name}`, { joining: ordinal, absent: others, hasData: true })
  await applyMembers(context, cluster)
  await emptyMember(context, name)
  ui.step(`Adding ${name}`)
  await journal.step(`adding ${name}`)
  await addMember(context, cluster, ordinal)
  await waitForCopy(context, cluster, ordinal)
  const path = objectPath('pods', { name, namespace: place.namespace })
  await waitForComponent(context, {
    component: 'etcd',
    what: `the readiness of ${name}`,
    pods: [name],
    check: async (deadline) => {
      const pod = await host.api.get(path, { signal: deadline })
      return pod !== undefined && isReadyPod(pod)
    },
  })
  await closeEtcd(context)
}
