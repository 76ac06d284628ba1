import { judgeAlarms } from '../../../etcd/members/judge-alarms.ts'
import type { LoggedDamage } from '../../../etcd/repair/data-damage.ts'
import type { MemberFacts } from '../../../etcd/repair/diagnose-members.ts'
import { type EtcdCluster, STATUS_TIMEOUT_MS } from '../../../etcd/members/etcd-cluster.ts'
import { damageOfEnded } from '../../../etcd/repair/data-damage.ts'
import { statusInMetrics } from '../../../etcd/status/member-metrics.ts'
import {
  isWorking,
  type MemberStatus,
  memberStatusWithin,
} from '../../../etcd/status/member-status.ts'
import { readLastLines } from '../../../kube/client/read-last-lines.ts'
import { memberName } from '../../../manifests/pod-layout.ts'
import { ETCD_PORTS } from '../../../manifests/ports.ts'
import { getOver } from '../../../shared/network/request-over.ts'
import { claimOf } from '../etcd/members/member-volumes.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { ComponentProblem } from '../context/problem.ts'
import type { Host } from '../context/context.ts'
import { failedCondition, isPod, type Pod } from '../host/host-pod.ts'
import { isOnLostNode, nodeProblem } from '../diagnosis/pods/pod-problem.ts'
import { type StrandedVolume, strandedVolume } from '../diagnosis/volumes/stranded-volume.ts'
import type { PlacedName } from '../context/object-names.ts'
import { isReadyPod, type ObservedPlane } from '../observed/observed-plane.ts'
import { causeOf } from './other-faults.ts'
import { isYoung } from '../observed/is-young.ts'

const METRICS_TIMEOUT_MS = 5000

export interface MembersContext {
  /** Its context is for the commands of hints. */
  host: Pick<Host, 'api' | 'forward' | 'context'>
  /** Whether the data of members is in their pods. */
  isEphemeral: boolean
  cluster: EtcdCluster
  place: PlacedName
  count: number
  observed: ObservedPlane
  problems: readonly ComponentProblem[]
  now: Date
}

export interface ObservedMembers {
  /** By their ordinals. */
  members: MemberFacts[]
  /** Higher ordinals of members that etcd still has, and that do not work. */
  surplus: number[]
  /** Members have different data, and no majority has the same. */
  isUndecided: boolean
  /** Nothing causes etcd's alarm of corrupt data any more. */
  isAlarmStale: boolean
}

/** Reads the state of the members of etcd from the host, from each member, and from etcd's list of members. */
export async function observeMembers(
  context: MembersContext,
  signal: AbortSignal,
): Promise<ObservedMembers> {
  const { cluster, count, host, observed, place, problems } = context
  const probed = await cluster.probe(signal)
  const observedMembers = await Promise.all(
    Array.from({ length: count }, async (_, ordinal) => {
      const instance = memberName(place.name, ordinal)
      const pod = observed
        .pods('etcd')
        .filter(isPod)
        .find(({ metadata }) => metadata.name === instance)
      const own = problems.filter(({ object }) => object.endsWith(`${instance}"`))
      const member = probed.members?.find((one) => one.ordinal === ordinal)
      const state = stateOf(pod, context.now)
      const answer = probed.statuses[ordinal]
      const hasMajority = probed.members !== undefined
      const isSilent = !hasMajority && answer === undefined && RUNNING.includes(state)
      const waiting = isSilent
        ? await probeMember(host, { namespace: place.namespace, pod: instance }, signal)
        : undefined
      const loss = await lossOf(context, pod, signal)
      const logged =
        loss === undefined ? await damageOf(context, { pod, problems: own, signal }) : 'lost'
      const facts: Omit<MemberFacts, 'alarms'> = {
        instance,
        state,
        status: answer ?? waiting,
        isWaiting: waiting !== undefined,
        damage: logged === 'inconsistent' ? undefined : logged,
        loss,
        ...(hasMajority ? { membership: member === undefined ? 'unknown' : roleOf(member) } : {}),
        cause: causeFor(context, pod, own[0]),
      }
      return { facts, isDoubted: logged === 'inconsistent' && answer === undefined }
    }),
  )
  const doubted = [...observedMembers.keys()].filter((one) => observedMembers[one]?.isDoubted)
  const judged = await judgeAlarms(cluster, probed, { doubted, signal })
  const listed = probed.members?.flatMap(({ ordinal }) => ordinal ?? []) ?? []
  const surplus = listed.filter((ordinal) => ordinal >= count)
  return {
    members: observedMembers.map(({ facts }, ordinal) => ({
      ...facts,
      alarms: [
        ...(judged.corrupt.includes(ordinal) ? ['CORRUPT'] : []),
        ...(judged.full.includes(ordinal) ? ['NOSPACE'] : []),
      ],
    })),
    surplus: await withoutWorking(cluster, surplus, signal),
    isUndecided: judged.isUndecided,
    isAlarmStale: judged.stale.length > 0,
  }
}

/** Returns the ordinals of the members that have no vote or do not work. */
async function withoutWorking(
  cluster: EtcdCluster,
  ordinals: readonly number[],
  signal: AbortSignal,
): Promise<number[]> {
  const asked = ordinals.map((one) =>
    memberStatusWithin(STATUS_TIMEOUT_MS, cluster.at(one), signal),
  )
  const statuses = await Promise.all(asked)
  return ordinals.filter((_, index) => !isWorking(statuses[index]))
}

const RUNNING: ReadonlyArray<MemberFacts['state']> = ['running', 'starting']

/** Returns the status of a member that waits for a leader; undefined if it does not, or returns no metrics in time. */
async function probeMember(
  { forward }: Pick<Host, 'forward'>,
  place: { namespace: string; pod: string },
  signal: AbortSignal,
): Promise<MemberStatus | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(METRICS_TIMEOUT_MS)])
  try {
    const stream = await forward({ ...place, port: ETCD_PORTS.metrics }, { signal: limit })
    const page = await getOver(stream, { path: '/metrics', host: place.pod, signal: limit })
    return page === undefined ? undefined : statusInMetrics(page)
  } catch {
    // A member that does not answer has no status.
    signal.throwIfAborted()
    return undefined
  }
}

function roleOf({ isLearner }: { isLearner: boolean }): 'learner' | 'voter' {
  return isLearner ? 'learner' : 'voter'
}

function stateOf(pod: Pod | undefined, now: Date): MemberFacts['state'] {
  if (pod === undefined) {
    return 'missing'
  }
  const container = containerOf(pod)
  const isEnded =
    container?.state?.terminated !== undefined ||
    container?.state?.waiting?.reason === 'CrashLoopBackOff'
  if (isEnded) {
    return 'ended'
  }
  return !isReadyPod(pod) && isYoung(pod, now) ? 'starting' : 'running'
}

/** Returns why a member that cannot be scheduled has lost its volume. */
async function lossOf(
  { host: { api, context: hostContext }, place }: MembersContext,
  pod: Pod | undefined,
  signal: AbortSignal,
): Promise<StrandedVolume | undefined> {
  if (pod === undefined || failedCondition(pod, 'PodScheduled') === undefined) {
    return undefined
  }
  const claim = claimOf(pod.metadata.name ?? '')
  return strandedVolume(api, { claim, namespace: place.namespace, hostContext }, signal)
}

/**
 * Returns why a member does not run. A lost node is checked for each member, because problems name only one of all pods
 * with the same reason. The member may still run on that node, and two processes would write the same volume: so the
 * user must first confirm that the node is down.
 */
function causeFor(
  { host: { context: hostContext }, isEphemeral }: MembersContext,
  pod: Pod | undefined,
  own: ComponentProblem | undefined,
): MemberFacts['cause'] {
  const problem = pod !== undefined && isOnLostNode(pod) ? nodeProblem(pod, { hostContext }) : own
  if (problem === undefined) {
    return undefined
  }
  const isHeld = problem.state === 'NodeNotReady' && !isEphemeral
  return { ...causeOf(problem), ...(isHeld ? { remedy: 'none' } : {}) }
}

/** Returns the damage that the log of an ended member, or the state of its volume, reports. */
async function damageOf(
  { host: { api }, place }: MembersContext,
  {
    pod,
    problems,
    signal,
  }: { pod: Pod | undefined; problems: readonly ComponentProblem[]; signal: AbortSignal },
): Promise<LoggedDamage | undefined> {
  if (problems.some(({ state }) => state === 'Lost')) {
    return 'lost'
  }
  if (pod === undefined || isReadyPod(pod) || isOnLostNode(pod)) {
    return undefined
  }
  const { name = '', uid } = pod.metadata
  const { namespace } = place
  const log = { pod: name, namespace, container: 'etcd' }
  return damageOfEnded(containerOf(pod) ?? {}, {
    readLog: (run) => readLastLines(api, { ...log, isPrevious: run === 'previous' }, signal),
    readAgain: async () => {
      const now = await api.get(objectPath('pods', { name, namespace }), { signal })
      return now !== undefined && isPod(now) && now.metadata.uid === uid
        ? containerOf(now)
        : undefined
    },
  })
}

function containerOf({ status }: Pod) {
  return status?.containerStatuses?.find(({ name }) => name === 'etcd')
}
