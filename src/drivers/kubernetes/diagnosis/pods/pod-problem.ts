import { isLeaving } from '../../../../shared/kube/kube-object.ts'
import { clusterKubectl, kubectl } from '../../context/kubectl-hint.ts'
import { containerProblem } from './container-problem.ts'
import {
  eventsAbout,
  failedCondition,
  type HostEvent,
  type Pod,
  timesReported,
} from '../../host/host-pod.ts'
import { mountProblem } from '../volumes/mount-problem.ts'
import type { Problem, ProblemContext } from '../../context/problem.ts'
import { schedulingProblem } from './scheduling-problem.ts'
import { OUT_OF_SERVICE } from '../volumes/stranded-volume.ts'

/** The network of a new node may need a while. */
const PATIENT_TRIES = 6

/** Returns why a pod is not ready; undefined when it is ready or only needs time. */
export function podProblem(
  pod: Pod,
  events: readonly HostEvent[],
  context: ProblemContext,
): Problem | undefined {
  return (
    schedulingProblem(pod, events, context) ??
    containerProblem(pod, events, context) ??
    mountProblem(pod, events, context) ??
    sandboxProblem(pod, events, context) ??
    readinessProblem(pod, events, context)
  )
}

/** A deleted or replaced pod has a problem only if its node does not respond. */
export function terminatingProblem(pod: Pod, context: ProblemContext): Problem | undefined {
  const isStuck = isLeaving(pod) ? isLeftBehind(pod) : isOnLostNode(pod)
  return isStuck ? nodeProblem(pod, context) : undefined
}

/** Whether the conditions of a pod show that the host has lost its node. */
export function isOnLostNode(pod: Pod): boolean {
  const condition = failedCondition(pod, 'Ready')
  // The host makes the pods of a lost node unready without a reason; their containers remain ready.
  const isUnready = condition?.reason === undefined && condition !== undefined
  return isLeftBehind(pod) || (isUnready && containersAreReady(pod))
}

function isLeftBehind(pod: Pod): boolean {
  const condition = pod.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')
  return isLeaving(pod) && condition?.reason === 'DeletionByTaintManager'
}

function sandboxProblem(
  pod: Pod,
  events: readonly HostEvent[],
  context: ProblemContext,
): Problem | undefined {
  const found = eventsAbout(pod, events, 'FailedCreatePodSandBox')
  const message = found.at(-1)?.message
  const isStarted = failedCondition(pod, 'PodReadyToStartContainers') === undefined
  return message === undefined || isStarted
    ? undefined
    : {
        state: 'FailedCreatePodSandBox',
        reason: `node "${pod.spec?.nodeName}" cannot give it a network: ${message.trim()}`,
        hints: [kubectl(context, `describe pod ${pod.metadata.name}`)],
        final: timesReported(found) >= PATIENT_TRIES,
      }
}

function readinessProblem(
  pod: Pod,
  events: readonly HostEvent[],
  context: ProblemContext,
): Problem | undefined {
  const condition = failedCondition(pod, 'Ready')
  if (condition === undefined) {
    return undefined
  }
  if (isOnLostNode(pod) || eventsAbout(pod, events, 'NodeNotReady').length > 0) {
    return nodeProblem(pod, context)
  }
  const message = eventsAbout(pod, events, 'Unhealthy').at(-1)?.message?.trim()
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

/** Returns the problem of a pod whose node the host has lost. */
export function nodeProblem({ spec }: Pod, context: Pick<ProblemContext, 'hostContext'>): Problem {
  const node = spec?.nodeName ?? ''
  return {
    state: 'NodeNotReady',
    reason: `its node "${node}" does not answer`,
    hints: [
      `${clusterKubectl(context)} describe node ${node}`,
      `if it is down permanently, to move its pods to other nodes: ${clusterKubectl(context)} taint nodes ${node} ${OUT_OF_SERVICE}=nodeshutdown:NoExecute`,
    ],
    final: false,
  }
}

/** After this many failed pods the problem is final. */
const PATIENT_PODS = 3

/** Returns why a pod failed: its node evicted or rejected it. The host creates another one. */
export function endedProblem(
  { metadata, status }: Pod,
  times: number,
  context: ProblemContext,
): Problem {
  const { message = '', reason = 'Failed' } = status ?? {}
  const why = message.trim().replace(/\.$/, '')
  return {
    state: reason,
    reason: `its node has ended pod "${metadata.name}": ${why === '' ? reason : why}`,
    hints: [kubectl(context, `describe pod ${metadata.name}`)],
    final: times >= PATIENT_PODS,
  }
}
