import { hasEphemeralMembers } from '../../../control-plane/spec/needs-keeper.ts'
import type { EtcdCluster } from '../../../etcd/members/etcd-cluster.ts'
import { memberName } from '../../../manifests/pod-layout.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { wantedReplicas } from '../observed/workloads.ts'
import { isReadyPod } from '../observed/observed-plane.ts'
import type { ChangeContext } from '../objects/change-context.ts'
import { areMembersReady, stalePods } from '../observed/is-rolled.ts'
import { refuseBroken } from '../etcd/members/refuse-broken.ts'
import { refuseDataLoss } from '../record/hold-plane.ts'
import { replaceMembers } from '../etcd/members/replace-members.ts'
import { observeEtcd } from '../etcd/observe-etcd.ts'
import { componentPods } from '../observed/ready-pod.ts'
import { waitForComponent } from '../workloads/wait-for-component.ts'

/**
 * Replaces the pods of etcd that another template created, one at a time: first those that do not work, then each of
 * the others when all the rest are ready. The leader is last, and hands over the lead before. The host does not do this
 * itself. If there is nothing to replace, only warns about members that do not work, which `vplane repair` replaces.
 * Members whose data is lost with their pods copy that of the others.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when a new pod cannot run or be created: the others continue to run;
 * `TIMED_OUT`; as `refuseBroken` and `refuseDataLoss` do.
 */
export async function rollEtcd(context: ChangeContext, cluster: EtcdCluster): Promise<void> {
  const { host, journal, operation, place } = context
  const { signal, ui } = operation
  let isRolled = false
  for (;;) {
    const { count, stale } = await readEtcd(context)
    const broken = stale.find((pod) => !isReadyPod(pod))
    const next = broken ?? (await firstFollower(stale, cluster, signal))
    if (next === undefined) {
      break
    }
    const name = next.metadata.name ?? ''
    const others = ordinalsBelow(count).filter((ordinal) => ordinal !== ordinalOf(next))
    refuseDataLoss(journal.record, [])
    ui.step(`Replacing ${name}`)
    if (next !== broken && others.length > 0) {
      await waitUntilReady(context, others)
      await refuseBroken(context, cluster, {
        members: count,
        isFine: (working) => others.every((ordinal) => working.includes(ordinal)),
        why: `while ${name} is replaced, etcd could have no majority`,
      })
    }
    if (hasEphemeralMembers(journal.record.spec)) {
      isRolled = true
      await replaceMembers(context, cluster, [ordinalOf(next)])
      continue
    }
    if (next !== broken) {
      await handOver(next, { cluster, others, signal })
    }
    isRolled = true
    await journal.step(`replacing ${name}`)
    const { uid } = next.metadata
    const path = objectPath('pods', { name, namespace: place.namespace })
    await host.api.delete(path, { signal, uid })
    await waitForComponent(context, {
      component: 'etcd',
      what: `the new ${name}`,
      pods: [name],
      check: async (deadline) => {
        const pod = await host.api.get(path, { signal: deadline })
        return pod !== undefined && pod.metadata.uid !== uid && isReadyPod(pod)
      },
    })
  }
  await waitForComponent(context, {
    component: 'etcd',
    what: 'the members of etcd',
    check: async (deadline) => {
      const observed = await observeEtcd(host.api, place, deadline)
      if (observed === undefined) {
        return false
      }
      const { pods, statefulSet } = observed
      const count = wantedReplicas(statefulSet)
      const missing = missingMembers(context, ordinalsBelow(count), pods)
      const hasMajority = !isRolled && missing.length * 2 < count
      if (hasMajority && missing.length > 0) {
        const what = `${missing.join(', ')} of etcd does not work`
        ui.warn(what, { action: 'repair', plane: place })
      }
      return hasMajority || areMembersReady(statefulSet, pods, journal.record.restoredPods)
    },
  })
}

/** Returns the wanted number of members and the pods of another template, once the StatefulSet is observed. */
async function readEtcd(context: ChangeContext): Promise<{ count: number; stale: KubeObject[] }> {
  const { host, journal, place } = context
  return waitForComponent(context, {
    component: 'etcd',
    what: 'the host to observe its StatefulSet',
    pods: [],
    check: async (deadline) => {
      const observed = await observeEtcd(host.api, place, deadline)
      return (
        observed !== undefined && {
          count: wantedReplicas(observed.statefulSet),
          stale: stalePods(observed.statefulSet, observed.pods, journal.record.restoredPods),
        }
      )
    },
  })
}

async function firstFollower(
  stale: readonly KubeObject[],
  cluster: EtcdCluster,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  if (stale.length < 2) {
    return stale[0]
  }
  const leader = await cluster.leader(signal)
  return stale.find((pod) => ordinalOf(pod) !== leader)
}

async function handOver(
  pod: KubeObject,
  {
    cluster,
    others,
    signal,
  }: { cluster: EtcdCluster; others: readonly number[]; signal: AbortSignal },
): Promise<void> {
  const [heir] = others
  const ordinal = ordinalOf(pod)
  if (heir !== undefined && (await cluster.leader(signal)) === ordinal) {
    await cluster.moveLeader(ordinal, heir, signal)
  }
}

/** Waits also for pods that the host could not create: without these members etcd may lose its majority. */
async function waitUntilReady(context: ChangeContext, ordinals: readonly number[]): Promise<void> {
  const { host, place } = context
  const names = ordinals.map((ordinal) => memberName(place.name, ordinal))
  await waitForComponent(context, {
    component: 'etcd',
    what: `the other members of etcd, ${names.join(', ')},`,
    pods: names,
    check: async (deadline) => {
      const pods = await componentPods(host.api, { ...place, component: 'etcd' }, deadline)
      return missingMembers(context, ordinals, pods).length === 0
    },
  })
}

/** Returns the names of the members without a ready pod. */
function missingMembers(
  { place }: Pick<ChangeContext, 'place'>,
  ordinals: readonly number[],
  pods: readonly KubeObject[],
): string[] {
  const ready = pods.filter(isReadyPod).map(({ metadata }) => metadata.name)
  return ordinals
    .map((ordinal) => memberName(place.name, ordinal))
    .filter((name) => !ready.includes(name))
}

function ordinalsBelow(count: number): number[] {
  return Array.from({ length: count }, (_, ordinal) => ordinal)
}

function ordinalOf({ metadata }: KubeObject): number {
  return Number(/-(\d+)$/.exec(metadata.name ?? '')?.[1])
}
