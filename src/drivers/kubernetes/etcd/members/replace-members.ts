import type { EtcdCluster } from '../../../../etcd/members/etcd-cluster.ts'
import { memberName } from '../../../../manifests/pod-layout.ts'
import { applyMembers, finishJoining } from './apply-members.ts'
import type { ChangeContext } from '../../objects/change-context.ts'
import { addMember, removeMember, retryTransient, waitForCopy } from './change-member.ts'
import { emptyMember } from './member-volumes.ts'
import { refuseBroken, refuseMinority } from './refuse-broken.ts'
import { waitForComponent } from '../../workloads/wait-for-component.ts'
import { objectPath } from '../../../../shared/kube/collections.ts'
import { isReadyPod } from '../../observed/observed-plane.ts'

/**
 * Replaces the data of members of etcd with that of the others. First removes all of them from etcd, which adds no
 * member while it has one that does not work. Then each of them joins again with an empty volume, copies all data, and
 * gets its vote. A second call continues an interrupted replacement.
 *
 * @throws {VplaneError} `FAILED` when the others have no majority, `COMPONENT_FAILED` when a member cannot run,
 * `TIMED_OUT`.
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
  // Counted by etcd: after an interrupted replacement it has fewer members than pods.
  const voters = await retryTransient(context, names, () => cluster.voters(signal))
  const members = Math.max(...voters) + 1
  // Checked before the first one is removed: the others may have a majority without it, but not without the next one.
  await refuseBroken(context, cluster, {
    members,
    isFine: (working) =>
      working.filter((one) => !ordinals.includes(one)).length * 2 > voters.length,
    why: `without ${names}, etcd would have no majority`,
  })
  for (const ordinal of ordinals) {
    const name = memberName(place.name, ordinal)
    operation.ui.step(`Removing ${name} from etcd`)
    await journal.step(`taking ${name} out of etcd`)
    await refuseMinority(context, cluster, ordinal)
    await removeMember(context, cluster, ordinal)
  }
  for (const ordinal of ordinals) {
    await rejoinMember(context, cluster, ordinal)
  }
}

/**
 * Adds a member with an empty volume for the pod of an ordinal without a member, and waits until it has copied all
 * data, has its vote and is ready.
 * @throws {VplaneError} `COMPONENT_FAILED` when the member cannot run, `TIMED_OUT`.
 */
export async function rejoinMember(
  context: ChangeContext,
  cluster: EtcdCluster,
  ordinal: number,
): Promise<void> {
  const { host, journal, operation, place } = context
  const name = memberName(place.name, ordinal)
  const { signal, ui } = operation
  ui.step(`Emptying the volume of ${name}`)
  const absent = await retryTransient(context, name, () => cluster.absent(signal))
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
  await finishJoining(context)
}
