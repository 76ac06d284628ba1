import type { EtcdCluster } from '../../../etcd/etcd-cluster.ts'
import { memberName } from '../../../manifests/pod-layout.ts'
import { applyMembers, closeEtcd } from './apply-members.ts'
import type { ChangeContext } from './change-context.ts'
import { addMember, patiently, removeMember, waitForCopy } from './change-member.ts'
import { emptyMember } from './empty-member.ts'
import { refuseBroken } from './refuse-broken.ts'
import { waitForComponent } from './wait-for-component.ts'
import { objectPath } from '../collections.ts'
import { replicasOf } from '../start/workloads.ts'
import { isReadyPod } from '../status/look.ts'

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
  const count = replicasOf(journal.record, 'etcd')
  const names = ordinals.map((ordinal) => memberName(place.name, ordinal))
  // Before the first of them leaves: the others could do without it, but not without the next one.
  await refuseBroken(context, cluster, {
    members: count,
    isFine: (working) => working.filter((one) => !ordinals.includes(one)).length * 2 > count,
    why: `without ${names.join(', ')}, etcd would have no majority`,
  })
  for (const ordinal of ordinals) {
    const name = memberName(place.name, ordinal)
    operation.ui.step(`Taking ${name} out of etcd`)
    await journal.step(`taking ${name} out of etcd`)
    await refuseBroken(context, cluster, {
      members: count,
      isFine: (working) => working.filter((other) => other !== ordinal).length * 2 > count - 1,
      why: `without ${name}, etcd would have no majority`,
    })
    await removeMember(context, cluster, ordinal)
  }
  for (const ordinal of ordinals) {
    await bringBack(context, cluster, ordinal)
  }
}

async function bringBack(
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
  await applyMembers(context)
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
    look: async (deadline) => {
      const pod = await host.api.get(path, { signal: deadline })
      return pod !== undefined && isReadyPod(pod)
    },
  })
  await closeEtcd(context)
}
