import type { Operation } from '../../../control-plane/driver/operation.ts'
import { componentsOf, type Plane } from '../../../control-plane/plane/plane.ts'
import { diagnoseMembers, type MemberFacts } from '../../../etcd/repair/diagnose-members.ts'
import {
  type EtcdCluster,
  requireLeader,
  workingOrdinals,
} from '../../../etcd/members/etcd-cluster.ts'
import { isWorking } from '../../../etcd/status/member-status.ts'
import { listMembers } from '../../../etcd/members/members.ts'
import { memberName } from '../../../manifests/pod-layout.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { waitFor } from '../../../shared/wait.ts'
import { applyMembers } from '../etcd/members/apply-members.ts'
import { CHANGE_TIMEOUT_MS, type ChangeContext } from '../objects/change-context.ts'
import { retryTransient } from '../etcd/members/change-member.ts'
import { emptyMember } from '../etcd/members/member-volumes.ts'
import { clusterOf } from '../etcd/hosted-etcd.ts'
import { waitForComponent } from '../workloads/wait-for-component.ts'
import type { KubernetesContext } from '../context/context.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import type { PlacedName } from '../context/object-names.ts'
import { holdPlane } from '../record/hold-plane.ts'
import { stopComponents } from '../workloads/stop-components.ts'
import { type InspectedPlane, inspectPlane } from './diagnose-plane.ts'

const POLL_INTERVAL_MS = 1000

/** How long the other components have to end: nothing that they do can be stored. */
const GRACE_SECONDS = 2

/**
 * Gives the members of etcd that have data a majority again: only as many of the others as needed restart with empty
 * volumes under their old identity. They are too few to agree without a member that has data, and a member does not
 * vote for one with a shorter log. So the member with the longest log leads, and all entries of its log become
 * committed.
 *
 * etcd's `--force-new-cluster` needs no other member, but drops the entries at the end of the log that are not recorded
 * as committed ("discarding uncommitted WAL entries", etcd 3.6 server/etcdserver/bootstrap.go). An entry is recorded as
 * committed with the next one: after a power failure the last acknowledged writes would be lost. A copy of the database
 * lacks all writes since it was last synced; the log has them.
 *
 * @returns the pod of the leader, once it has applied its whole log.
 * @throws {VplaneError} `FAILED` when the plane is half deleted or half restored, or etcd has a majority or no member
 * with data, `COMPONENT_FAILED` when no such member can run, `TIMED_OUT`.
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
  ui.step('Checking what data each member of etcd has')
  const inspect = (deadline: AbortSignal) =>
    inspectPlane({ diagnose, host: openHost, now }, journal.stored, deadline)
  const members = await settledMembers(place, inspect, operation)
  // Chosen once: if others without data started beside them, they could agree without any data.
  const regaining = journal.record.regaining ?? supplementOf(place, members)
  const files = await storedKeys(host.api, place, signal)
  const context = { diagnose, files, host, journal, now, operation, place }
  await journal.step('letting etcd have a majority again', { regaining, hasData: true })
  // Later writes would not be in the snapshot.
  const components = componentsOf(journal.record.spec).filter((component) => component !== 'etcd')
  const stop = { place, components, operation, keepPods: true, graceSeconds: GRACE_SECONDS }
  await stopComponents(host.api, journal, stop)
  const cluster = clusterOf(context)
  if (!members.some(({ status }) => isWorking(status))) {
    await restartEmpty(context, cluster, { members, regaining })
  }
  const leader = await leaderOf(context, cluster)
  await journal.finish()
  return memberName(place.name, leader)
}

/**
 * Returns the members when none is starting: one that has not responded yet may have more data than all others, and
 * they would agree without it.
 */
function settledMembers(
  { name }: PlacedName,
  inspect: (deadline: AbortSignal) => Promise<InspectedPlane>,
  { signal, timeoutMs = CHANGE_TIMEOUT_MS }: Operation,
): Promise<MemberFacts[]> {
  return waitFor(
    async (deadline) => {
      const { members } = await inspect(deadline)
      const isStarting = ({ damage, state, status }: MemberFacts) =>
        state === 'starting' && status === undefined && damage === undefined
      return !members.some(isStarting) && members
    },
    {
      what: `the members of etcd of "${name}" to start`,
      timeoutMs,
      intervalMs: POLL_INTERVAL_MS,
      signal,
    },
  )
}

/** Returns the ordinals of the members to restart without data: first those without any, then those with damage. */
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

async function restartEmpty(
  context: ChangeContext,
  cluster: EtcdCluster,
  { members, regaining }: { members: readonly MemberFacts[]; regaining: readonly number[] },
): Promise<void> {
  const { journal, operation, place } = context
  await applyMembers(context)
  for (const ordinal of regaining) {
    const name = memberName(place.name, ordinal)
    // An interrupted repair may have emptied it already.
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
    check: async (deadline) => workingOrdinals(await cluster.probe(deadline)).length > 0,
  })
}

async function leaderOf(context: ChangeContext, cluster: EtcdCluster): Promise<number> {
  const { operation, place } = context
  const { signal } = operation
  return retryTransient(context, 'what its members have', async () => {
    const leader = requireLeader(await cluster.probe(signal), `etcd of "${place.name}"`)
    // A majority answers this request after it has applied all earlier entries.
    await listMembers(cluster.at(leader), signal)
    return leader
  })
}
