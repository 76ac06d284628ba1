import { listAlarms } from '../../../etcd/status/alarms.ts'
import type { Damage } from '../../../etcd/repair/data-damage.ts'
import type { MemberFacts } from '../../../etcd/repair/diagnose-members.ts'
import { type EtcdCluster, LOOK_MS, surplusAmong } from '../../../etcd/members/etcd-cluster.ts'
import { damageOfEnded } from '../../../etcd/repair/ended-member.ts'
import { isWorking, memberStatusWithin } from '../../../etcd/status/member-status.ts'
import { listMembers } from '../../../etcd/members/members.ts'
import { readLastLines } from '../../../kube/client/read-last-lines.ts'
import { memberName } from '../../../manifests/pod-layout.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { claimOf } from '../etcd/members/remove-volumes.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { ComponentProblem } from '../context/problem.ts'
import type { Host } from '../context/context.ts'
import { failedCondition, isPod, type Pod } from '../host/host-pod.ts'
import { isOnLostNode, nodeProblem } from '../diagnosis/pods/pod-problem.ts'
import { type StrandedVolume, strandedVolume } from '../diagnosis/volumes/stranded-volume.ts'
import type { PlacedName } from '../context/object-names.ts'
import { isReadyPod, type ObservedPlane } from '../observed/observed-plane.ts'
import { causeOf } from './cause-of.ts'
import { probeMember } from './probe-member.ts'
import { isYoung } from '../observed/is-young.ts'

export interface MembersContext {
  /** Its context is for the commands of hints. */
  host: Pick<Host, 'api' | 'forward' | 'context'>
  /** Their data is in their pods. */
  isEphemeral: boolean
  cluster: EtcdCluster
  place: PlacedName
  /** How many there are to be. */
  count: number
  look: ObservedPlane
  /** Why components cannot run, as the host says. */
  problems: readonly ComponentProblem[]
  now: Date
}

export interface ObservedMembers {
  /** By their ordinals. */
  members: MemberFacts[]
  /** The ordinals above these of which etcd knows a member all the same, without one that works. */
  surplus: number[]
}

/** All that can be known of the members of a plane's etcd: from the host, from themselves, and from each other. */
export async function observeMembers(
  seen: MembersContext,
  signal: AbortSignal,
): Promise<ObservedMembers> {
  const { cluster, count, look, place, problems } = seen
  const [statuses, known] = await Promise.all([
    cluster.statuses(signal),
    unlessSilent(knownBy(cluster, signal), signal),
  ])
  const members = Promise.all(
    Array.from({ length: count }, async (_, ordinal): Promise<MemberFacts> => {
      const instance = memberName(place.name, ordinal)
      const pod = look
        .pods('etcd')
        .filter(isPod)
        .find(({ metadata }) => metadata.name === instance)
      const own = problems.filter(({ object }) => object.endsWith(`${instance}"`))
      const member = known?.members.find(({ peerUrls }) =>
        peerUrls.includes(cluster.peerUrl(ordinal)),
      )
      const state = stateOf(pod, seen.now)
      const answer = statuses[ordinal]
      const isSilent = known === undefined && answer === undefined && RUNNING.includes(state)
      const heard = isSilent
        ? await probeMember(seen.host, { namespace: place.namespace, pod: instance }, signal)
        : undefined
      const loss = await lossOf(seen, pod, signal)
      const alarms = known?.alarms.filter(({ memberId }) => memberId === member?.id) ?? []
      return {
        instance,
        state,
        status: answer ?? heard,
        isWaiting: heard !== undefined,
        damage: loss === undefined ? await damageOf(seen, { pod, problems: own, signal }) : 'lost',
        loss,
        ...(known === undefined
          ? {}
          : { membership: member === undefined ? 'unknown' : roleOf(member) }),
        alarms: alarms.map(({ kind }) => kind),
        cause: causeFor(seen, pod, own[0]),
      }
    }),
  )
  const peerUrl = (ordinal: number) => cluster.peerUrl(ordinal)
  const surplus = surplusAmong(known?.members ?? [], { count, peerUrl })
  return { members: await members, surplus: await withoutWorking(cluster, surplus, signal) }
}

/** Those of some members that have no vote or do not work. */
async function withoutWorking(
  cluster: EtcdCluster,
  ordinals: readonly number[],
  signal: AbortSignal,
): Promise<number[]> {
  const asked = ordinals.map((one) => memberStatusWithin(LOOK_MS, cluster.at(one), signal))
  const statuses = await Promise.all(asked)
  return ordinals.filter((_, index) => !isWorking(statuses[index]))
}

const RUNNING: ReadonlyArray<MemberFacts['state']> = ['running', 'starting']

/** What a majority knows of its members. */
async function knownBy(cluster: EtcdCluster, signal: AbortSignal) {
  const speaker = await cluster.speaker(signal)
  const [members, alarms] = await Promise.all([
    listMembers(speaker, signal),
    listAlarms(speaker, signal),
  ])
  return { members, alarms }
}

async function unlessSilent<T>(asking: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await asking
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof VplaneError)) {
      throw error
    }
    // There is no majority to ask, which the members' own words say.
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

/** Why a member that no node takes has lost its volume. */
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
 * Why a member does not run: that its node is lost is known of each, while problems name one of all that have the same. As
 * it may still run there, and two of them would write the same volume, somebody has to say that the node is down.
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

/** What the log of a member that ended says of its data, or its volume of itself. */
async function damageOf(
  { host: { api }, place }: MembersContext,
  {
    pod,
    problems,
    signal,
  }: { pod: Pod | undefined; problems: readonly ComponentProblem[]; signal: AbortSignal },
): Promise<Damage | undefined> {
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
