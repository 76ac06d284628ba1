import type { EtcdCluster, ProbedEtcd } from '../../../../etcd/members/etcd-cluster.ts'
import { judgeAlarms, plannedAlarms } from '../../../../etcd/members/judge-alarms.ts'
import type { MemberPlace, ObservedEtcd } from '../../../../etcd/planner/observed-etcd.ts'
import { isWorking } from '../../../../etcd/status/member-status.ts'
import { objectName } from '../../../../manifests/object-names.ts'
import { memberName } from '../../../../manifests/pod-layout.ts'
import { objectPath } from '../../../../shared/kube/collections.ts'
import type { KubeObject } from '../../../../shared/kube/kube-object.ts'
import { isOnLostNode } from '../../diagnosis/pods/pod-problem.ts'
import { isPod } from '../../host/host-pod.ts'
import type { ChangeContext } from '../../objects/change-context.ts'
import { componentPods } from '../../observed/ready-pod.ts'
import type { PlaneRecord } from '../../record/plane-record.ts'
import { stalePods } from '../../observed/is-rolled.ts'
import { isYoung } from '../../observed/is-young.ts'
import { isReadyPod } from '../../observed/observed-plane.ts'
import { wantedReplicas } from '../../observed/workloads.ts'
import { observeEtcd } from '../observe-etcd.ts'
import { memberFiles } from './member-files.ts'
import { listClaims, ordinalOf } from './member-volumes.ts'

/** A held plane and its etcd. */
export interface EtcdContext extends ChangeContext {
  cluster: EtcdCluster
}

/** What a command wants of a plane's etcd. */
export interface MembersWanted {
  count: number
  isEphemeral: boolean
  /** Whether pods of a former template are replaced. */
  renews: boolean
  /** The uids of the claims, or of the pods of an ephemeral plane, with data that cannot be used. */
  damaged: ReadonlySet<string>
}

/** The files of the members of a plane. */
export function filesOf({ host, place }: Pick<ChangeContext, 'host' | 'place'>) {
  const path = objectPath('configmaps', { ...place, name: objectName(place.name, 'etcd') })
  return memberFiles(host.api, { path, nameOf: (ordinal) => memberName(place.name, ordinal) })
}

/** Observes a plane's etcd for the planner; undefined while the host has not observed its StatefulSet. */
export async function plannedEtcd(
  context: Pick<EtcdContext, 'cluster' | 'host' | 'journal' | 'now' | 'place'>,
  wanted: MembersWanted,
  signal: AbortSignal,
): Promise<ObservedEtcd | undefined> {
  const { cluster, host, journal, place } = context
  const { api } = host
  const [found, claims, files] = await Promise.all([
    observeEtcd(api, place, signal),
    wanted.isEphemeral ? [] : listClaims(api, place, signal),
    filesOf(context).read(signal),
  ])
  if (found === undefined) {
    return undefined
  }
  const { pods, statefulSet } = found
  const replicas = wantedReplicas(statefulSet)
  const used = [...pods, ...claims].map(({ metadata }) => ordinalOf(metadata.name))
  const highest = Math.max(wanted.count, replicas, ...used.map((ordinal) => ordinal + 1))
  const asked = await cluster.probe(signal)
  // The list of a single member is known; it may not answer before its pod is replaced.
  const isSilent = asked.members === undefined && highest === 1
  const etcd = isSilent ? SINGLE : asked
  const stale = wanted.renews
    ? stalePods(statefulSet, pods, journal.record.restoredPods).map(({ metadata }) => metadata.uid)
    : []
  const listed = etcd.members?.map(({ ordinal }) => ordinal) ?? []
  const ordinals = [...new Set([...used, ...listed])].filter((one) => one !== undefined)
  const placeAt = (ordinal: number): MemberPlace => {
    const pod = pods.find(({ metadata }) => ordinalOf(metadata.name) === ordinal)
    const claim = claims.find(({ metadata }) => ordinalOf(metadata.name) === ordinal)
    const isReady = pod !== undefined && isReadyPod(pod)
    const holder = (wanted.isEphemeral ? pod : claim)?.metadata.uid ?? noneAt(ordinal)
    const isDamaged = wanted.damaged.has(holder)
    const answers = !isDamaged && (isSilent ? isReady : isAnswering(etcd, ordinal))
    return {
      ordinal,
      works: answers ? 'yes' : isReady && !isDamaged ? 'unknown' : 'no',
      damage: isDamaged ? 'lost' : undefined,
      pod: pod && {
        uid: pod.metadata.uid ?? '',
        isReady,
        isStale: stale.includes(pod.metadata.uid),
        isOverdue: !isYoung(pod, context.now()),
        isEnding: endingOf(pod),
      },
      claim: claim && {
        uid: claim.metadata.uid ?? '',
        isEnding: claim.metadata['deletionTimestamp'] !== undefined,
      },
    }
  }
  const places = ordinals.toSorted((one, other) => one - other).map(placeAt)
  const judged = await judgeAlarms(cluster, etcd, { signal })
  return {
    members: etcd.members,
    leader: etcd.leader,
    ...plannedAlarms(judged, places),
    places,
    replicas,
    joining: files.joining,
    resourceVersions: {
      statefulSet: statefulSet.metadata.resourceVersion ?? '',
      files: files.resourceVersion,
    },
  }
}

const SINGLE: ProbedEtcd = {
  members: [{ id: '', ordinal: 0, isLearner: false, hasStarted: true }],
  alarms: [],
  statuses: [],
}

/** Whether the process at an ordinal is the member that etcd lists there, and knows a leader. */
function isAnswering({ members, statuses }: ProbedEtcd, ordinal: number): boolean {
  const status = statuses[ordinal]
  const member = members?.find((one) => one.ordinal === ordinal)
  const isListed = members === undefined || status?.id === member?.id
  return isListed && (isWorking(status) || status?.isLearner === true)
}

function endingOf(pod: KubeObject): boolean | 'stuck' {
  const isLeaving = pod.metadata['deletionTimestamp'] !== undefined
  // No kubelet ends a pod on a lost node.
  return isLeaving && isPod(pod) && isOnLostNode(pod) ? 'stuck' : isLeaving
}

/** The spec's wish for etcd, in the form that the planner takes. */
export function wantedMembers(
  { spec }: Pick<PlaneRecord, 'spec'>,
  more: Partial<MembersWanted> = {},
): MembersWanted {
  const count = spec.host?.etcd.replicas ?? 1
  return { count, isEphemeral: spec.ephemeral, renews: false, damaged: new Set(), ...more }
}

/** The uids of the claims of members, or of their pods on an ephemeral plane. */
export async function dataOf(
  context: Pick<ChangeContext, 'host' | 'place'>,
  { isEphemeral, ordinals }: { isEphemeral: boolean; ordinals: readonly number[] },
  signal: AbortSignal,
): Promise<Set<string>> {
  const { host, place } = context
  const holders = isEphemeral
    ? await componentPods(host.api, { ...place, component: 'etcd' }, signal)
    : await listClaims(host.api, place, signal)
  return new Set(
    ordinals.map((ordinal) => {
      const found = holders.find(({ metadata }) => ordinalOf(metadata.name) === ordinal)
      return found?.metadata.uid ?? noneAt(ordinal)
    }),
  )
}

/** Stands for the uid of what does not exist. */
function noneAt(ordinal: number): string {
  return `none at ${ordinal}`
}
