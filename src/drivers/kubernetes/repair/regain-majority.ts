import type { Operation } from '../../../control-plane/driver/operation.ts'
import { componentsOf, type Plane } from '../../../control-plane/plane/plane.ts'
import { refuseHalfRestored } from '../../../control-plane/plane/refuse-half-restored.ts'
import { type MemberFacts, diagnoseMembers } from '../../../etcd/repair/diagnose-members.ts'
import type { EtcdCluster } from '../../../etcd/members/etcd-cluster.ts'
import { isWorking } from '../../../etcd/status/member-status.ts'
import { listMembers } from '../../../etcd/members/members.ts'
import { memberName } from '../../../manifests/pod-layout.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { waitFor } from '../../../shared/wait.ts'
import { applyMembers } from '../etcd/members/apply-members.ts'
import { CHANGE_TIMEOUT_MS, type ChangeContext } from '../objects/change-context.ts'
import { patiently } from '../etcd/members/change-member.ts'
import { emptyMember } from '../etcd/members/empty-member.ts'
import { clusterOf } from '../etcd/hosted-cluster.ts'
import { waitForComponent } from '../workloads/wait-for-component.ts'
import type { KubernetesContext } from '../context/context.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import type { PlacedName } from '../context/object-names.ts'
import { holdPlane, refuseHalfDeleted } from '../record/hold-plane.ts'
import { stopComponents } from '../workloads/stop-components.ts'
import { inspectPlane, type InspectedPlane } from './inspect-plane.ts'

/** How often to check whether members have started, in milliseconds. */
const POLL_INTERVAL_MS = 1000

/**
 * Lets the members of etcd that have data have a majority again: as many of the others as that takes, and no more, come
 * back with empty volumes as who they were. They are too few to agree without one that has data, and nobody gets the
 * vote of one who knows more: so the member with the longest log leads, and all that it holds counts as agreed on.
 *
 * etcd's own `--force-new-cluster` would need none of them, but it drops what is at the end of the log and was not noted there as
 * agreed on ("discarding uncommitted WAL entries", etcd 3.6 server/etcdserver/bootstrap.go). That note is written with
 * the next entry: after a node lost its power the last writes that were acknowledged would be gone. A copy of the
 * database would be without all that was written since it was last synced, which the log has.
 *
 * @returns the pod of the member that leads, when it has done all that its log holds.
 * @throws {VplaneError} `FAILED` when it is half deleted or half restored, or there is nothing to regain,
 * `COMPONENT_FAILED` when no such member can run, `TIMED_OUT`.
 */
export async function regainMajority(
  { diagnose, host: openHost, now }: Pick<KubernetesContext, 'diagnose' | 'host' | 'now'>,
  { id, place }: { place: PlacedName; id: Plane['id'] },
  operation: Operation,
): Promise<string> {
  const host = await openHost()
  const { signal, ui } = operation
  const options = { place, id, operation: 'repair', now } as const
  await using held = await holdPlane(host, options, operation)
  const { journal } = held
  refuseHalfDeleted(journal.record)
  refuseHalfRestored(journal.record)
  ui.step('Looking who has what')
  const see = (deadline: AbortSignal) =>
    inspectPlane({ diagnose, host: openHost, now }, journal.stored, deadline)
  const members = await settledMembers(place, see, operation)
  // Chosen once: were others to come back beside them, they could agree without any data.
  const regaining = journal.record.regaining ?? supplementOf(place, members)
  const files = await storedKeys(host.api, place, signal)
  const context = { diagnose, files, host, journal, now, operation, place }
  const told = { regaining, joining: undefined, absent: undefined, hasData: true }
  await journal.step('letting etcd have a majority again', told)
  // What was written from now on would not be in the snapshot.
  const components = componentsOf(journal.record.spec).filter((component) => component !== 'etcd')
  await stopComponents(host.api, journal, { place, components, operation, keepPods: true })
  const cluster = clusterOf(context)
  if (!members.some(({ status }) => isWorking(status))) {
    await bringBack(context, cluster, { members, regaining })
  }
  const leader = await leaderOf(context, cluster)
  await journal.finish()
  return memberName(place.name, leader)
}

/**
 * The members as they are when none is about to start: one that has not been heard may know more than all others, and they
 * would agree without it.
 */
function settledMembers(
  { name }: PlacedName,
  see: (deadline: AbortSignal) => Promise<InspectedPlane>,
  { signal, timeoutMs = CHANGE_TIMEOUT_MS }: Operation,
): Promise<MemberFacts[]> {
  return waitFor(
    async (deadline) => {
      const { members } = await see(deadline)
      const isComing = ({ damage, state, status }: MemberFacts) =>
        state === 'starting' && status === undefined && damage === undefined
      return !members.some(isComing) && members
    },
    {
      what: `the members of etcd of "${name}" to start`,
      timeoutMs,
      intervalMs: POLL_INTERVAL_MS,
      signal,
    },
  )
}

/** The ordinals of the members that come back without data: those that have none before those that cannot read theirs. */
function supplementOf({ name, namespace }: PlacedName, members: readonly MemberFacts[]): number[] {
  const { survivors } = diagnoseMembers(members)
  if (survivors === undefined || survivors.length === 0) {
    const reason = survivors === undefined ? 'has a majority' : 'has no member with data that runs'
    throw new VplaneError('FAILED', `etcd of "${name}" ${reason}`, {
      hints: [{ action: 'repair', plane: { name, namespace } }],
    })
  }
  const majority = Math.floor(members.length / 2) + 1
  const isLost = (ordinal: number) => Number(members[ordinal]?.damage === 'lost')
  return [...members.keys()]
    .filter((ordinal) => members[ordinal]?.damage !== undefined)
    .toSorted((left, right) => isLost(right) - isLost(left))
    .slice(0, Math.max(0, majority - survivors.length))
}

async function bringBack(
  context: ChangeContext,
  cluster: EtcdCluster,
  { members, regaining }: { members: readonly MemberFacts[]; regaining: readonly number[] },
): Promise<void> {
  const { journal, operation, place } = context
  await applyMembers(context, cluster)
  for (const ordinal of regaining) {
    const name = memberName(place.name, ordinal)
    // It may have come back already, before this was cut off.
    if (members[ordinal]?.damage !== undefined) {
      operation.ui.step(`Emptying the volume of ${name}`)
      await journal.step(`emptying ${name}`)
      await emptyMember(context, name)
    }
  }
  operation.ui.step('Waiting for a majority of etcd')
  await waitForComponent(context, {
    component: 'etcd',
    what: 'a majority of etcd',
    pods: regaining.map((ordinal) => memberName(place.name, ordinal)),
    check: async (deadline) => (await cluster.working(deadline)).length > 0,
  })
}

async function leaderOf(context: ChangeContext, cluster: EtcdCluster): Promise<number> {
  const { operation, place } = context
  const { signal } = operation
  return patiently(context, 'what its members have', async () => {
    const leader = await cluster.leader(signal)
    if (leader === undefined) {
      throw new VplaneError('UNREACHABLE', `nobody leads etcd of "${place.name}"`)
    }
    // What is asked of a majority is answered when all before it is done.
    await listMembers(cluster.at(leader), signal)
    return leader
  })
}
