import { isLeaving } from '../../../../shared/kube/kube-object.ts'
import { clusterKubectl, kubectl } from '../../context/kubectl-hint.ts'
import { containerProblem } from './container-problem.ts'
import {
  failedCondition,
  type HostNote,
  notesAbout,
  type Pod,
  timesNoted,
} from '../../host/host-pod.ts'
import { mountProblem } from '../volumes/mount-problem.ts'
import type { Problem, ProblemContext } from '../../context/problem.ts'
import { schedulingProblem } from './scheduling-problem.ts'
import { OUT_OF_SERVICE } from '../volumes/stranded-volume.ts'

/** Networks of nodes that have just come may need a while. */
const PATIENT_TRIES = 6

/**
 * Why a pod that is to stay does not run, or is not ready; undefined when it is well, or only needs time. Pure: from the
 * pod and what the host noted about it.
 */
export function podProblem(
  pod: Pod,
  notes: readonly HostNote[],
  context: ProblemContext,
): Problem | undefined {
  return (
    schedulingProblem(pod, notes, context) ??
    containerProblem(pod, notes, context) ??
    mountProblem(pod, notes, context) ??
    sandboxProblem(pod, notes, context) ??
    readinessProblem(pod, notes, context)
  )
}

/** A pod that is deleted, or replaced, is no problem, unless its node is not there to end it. */
export function terminatingProblem(pod: Pod, context: ProblemContext): Problem | undefined {
  const isStuck = isLeaving(pod) ? isLeftBehind(pod) : isOnLostNode(pod)
  return isStuck ? nodeProblem(pod, context) : undefined
}

/** Whether the host has lost the node of a pod, as far as the pod alone shows it. */
export function isOnLostNode(pod: Pod): boolean {
  const condition = failedCondition(pod, 'Ready')
  // The host takes readiness from the pods of a node that it has lost, without a reason; their containers' stays.
  const isUnready = condition?.reason === undefined && condition !== undefined
  return isLeftBehind(pod) || (isUnready && containersAreReady(pod))
}

function isLeftBehind(pod: Pod): boolean {
  const condition = pod.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')
  return isLeaving(pod) && condition?.reason === 'DeletionByTaintManager'
}

function sandboxProblem(
  pod: Pod,
  notes: readonly HostNote[],
  context: ProblemContext,
): Problem | undefined {
  const found = notesAbout(pod, notes, 'FailedCreatePodSandBox')
  const message = found.at(-1)?.message
  const isStarted = failedCondition(pod, 'PodReadyToStartContainers') === undefined
  return message === undefined || isStarted
    ? undefined
    : {
        state: 'FailedCreatePodSandBox',
        reason: `node "${pod.spec?.nodeName}" cannot give it a network: ${message.trim()}`,
        hints: [kubectl(context, `describe pod ${pod.metadata.name}`)],
        final: timesNoted(found) >= PATIENT_TRIES,
      }
}

function readinessProblem(
  pod: Pod,
  notes: readonly HostNote[],
  context: ProblemContext,
): Problem | undefined {
  const condition = failedCondition(pod, 'Ready')
  if (condition === undefined) {
    return undefined
  }
  if (isOnLostNode(pod) || notesAbout(pod, notes, 'NodeNotReady').length > 0) {
    return nodeProblem(pod, context)
  }
  const message = notesAbout(pod, notes, 'Unhealthy').at(-1)?.message?.trim()
  return message === undefined
    ? undefined
    : {
        state: 'Unhealthy',
        reason: message.replace(/^\w/, (letter) => letter.toLowerCase()),
        hints: [{ action: 'logs', plane: { name: context.name }, what: context.component }],
        final: false,
      }
}

function containersAreReady({ status }: Pod): boolean {
  return (
    status?.conditions?.some((one) => one.type === 'ContainersReady' && one.status === 'True') ??
    false
  )
}

/** What is wrong with a pod whose node the host has lost. */
export function nodeProblem({ spec }: Pod, context: Pick<ProblemContext, 'hostContext'>): Problem {
  const node = spec?.nodeName ?? ''
  return {
    state: 'NodeNotReady',
    reason: `its node "${node}" does not answer`,
    hints: [
      `${clusterKubectl(context)} describe node ${node}`,
      `when it is down for good, its pods go elsewhere after: ${clusterKubectl(context)} taint nodes ${node} ${OUT_OF_SERVICE}=nodeshutdown:NoExecute`,
    ],
    final: false,
  }
}
