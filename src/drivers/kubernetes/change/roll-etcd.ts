import { hasPassingMembers } from '../../../control-plane/needs-keeper.ts'
import type { EtcdCluster } from '../../../etcd/etcd-cluster.ts'
import { collectionPath, objectPath } from '../collections.ts'
import type { HostObject } from '../host-api.ts'
import { componentSelector } from '../object-names.ts'
import { workloadPath } from '../start/workloads.ts'
import { isReadyPod } from '../status/look.ts'
import type { ChangeContext } from './change-context.ts'
import { areMembersReady, isSeen, stalePods } from './is-rolled.ts'
import { refuseDataLoss } from './refuse-data-loss.ts'
import { replaceMembers } from './replace-members.ts'
import { waitForComponent } from './wait-for-component.ts'

/**
 * Replaces the pods of etcd that were made by another template, one at a time, each when all others are ready; the one
 * that leads goes last, and lets another one lead before. The host does not do that by itself. Where there is nothing to
 * replace, a member that does not work is left to `vplane repair`. Members whose data goes with their pods get that of the
 * others.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when a new pod cannot run: the others go on; as `refuseDataLoss` does.
 */
export async function rollEtcd(context: ChangeContext, cluster: EtcdCluster): Promise<void> {
  const { host, journal, operation, place } = context
  const { signal, ui } = operation
  let isRolled = false
  for (;;) {
    const { pods, stale } = await lookAtEtcd(context)
    const next = stale.length < 2 ? stale[0] : await firstFollower(stale, cluster, signal)
    if (next === undefined) {
      break
    }
    const name = next.metadata.name ?? ''
    const others = pods.filter((pod) => pod !== next)
    refuseDataLoss(journal.record, [])
    ui.step(`Replacing ${name}`)
    await waitUntilReady(context, others)
    if (hasPassingMembers(journal.record.spec)) {
      isRolled = true
      await replaceMembers(context, cluster, [ordinalOf(next)])
      continue
    }
    if (others.length > 0) {
      await handOver(next, { cluster, others, signal })
    }
    isRolled = true
    await journal.step(`replacing ${name}`)
    const { uid } = next.metadata
    const path = objectPath('pods', { name, namespace: place.namespace })
    await host.api.delete(path, { signal, ...(uid === undefined ? {} : { uid }) })
    await waitForComponent(context, {
      component: 'etcd',
      what: `the new ${name}`,
      look: async (deadline) => {
        const pod = await host.api.get(path, { signal: deadline })
        return pod !== undefined && pod.metadata.uid !== uid && isReadyPod(pod)
      },
    })
  }
  await waitForComponent(context, {
    component: 'etcd',
    what: 'the members of etcd',
    look: async (deadline) => {
      const [statefulSet, pods] = await seen(context, deadline)
      const isMost = !isRolled && pods.filter(isReadyPod).length * 2 > pods.length
      return statefulSet !== undefined && (isMost || areMembersReady(statefulSet, pods))
    },
  })
}

/** The pods of etcd, once the host has looked at its StatefulSet, and those of another template. */
async function lookAtEtcd(
  context: ChangeContext,
): Promise<{ pods: HostObject[]; stale: HostObject[] }> {
  return waitForComponent(context, {
    component: 'etcd',
    what: 'the host to see its StatefulSet',
    look: async (deadline) => {
      const [statefulSet, pods] = await seen(context, deadline)
      return statefulSet !== undefined && { pods, stale: stalePods(statefulSet, pods) }
    },
  })
}

async function seen(
  { host, place }: ChangeContext,
  signal: AbortSignal,
): Promise<[HostObject | undefined, HostObject[]]> {
  const statefulSet = await host.api.get(workloadPath(place, 'etcd'), { signal })
  const labelSelector = componentSelector(place.name, 'etcd')
  const path = collectionPath('pods', place.namespace)
  const { items } = await host.api.list(path, { labelSelector, signal })
  return [statefulSet !== undefined && isSeen(statefulSet) ? statefulSet : undefined, items]
}

async function firstFollower(
  stale: readonly HostObject[],
  cluster: EtcdCluster,
  signal: AbortSignal,
): Promise<HostObject | undefined> {
  const leader = await cluster.leader(signal)
  return stale.find((pod) => ordinalOf(pod) !== leader)
}

async function handOver(
  pod: HostObject,
  {
    cluster,
    others,
    signal,
  }: { cluster: EtcdCluster; others: readonly HostObject[]; signal: AbortSignal },
): Promise<void> {
  const [heir] = others.map(ordinalOf)
  const ordinal = ordinalOf(pod)
  if (heir !== undefined && (await cluster.leader(signal)) === ordinal) {
    await cluster.moveLeader(ordinal, heir, signal)
  }
}

async function waitUntilReady(context: ChangeContext, pods: readonly HostObject[]): Promise<void> {
  const names = pods.map(({ metadata }) => metadata.name)
  await waitForComponent(context, {
    component: 'etcd',
    what: 'the other members of etcd',
    look: async (deadline) => {
      const [, found] = await seen(context, deadline)
      return names.every((name) =>
        found.some((pod) => pod.metadata.name === name && isReadyPod(pod)),
      )
    },
  })
}

/** The number at the end of the name of a StatefulSet's pod. */
function ordinalOf({ metadata }: HostObject): number {
  return Number(/-(\d+)$/.exec(metadata.name ?? '')?.[1])
}
