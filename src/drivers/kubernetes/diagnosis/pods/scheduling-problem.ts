import { clusterKubectl, kubectl } from '../../context/kubectl-hint.ts'
import { specPathOf } from '../../context/object-names.ts'
import {
  failedCondition,
  type HostEvent,
  toTimeMs,
  eventsAbout,
  type Pod,
} from '../../host/host-pod.ts'
import type { Problem, ProblemContext } from '../../context/problem.ts'
import type { Hint } from '../../../../shared/hint.ts'

/** Starting nodes, and volumes in creation: the scheduler tries again. Hosts of 1.36 do not name these taints. */
const TRANSIENT =
  /no nodes available|node\.kubernetes\.io\/(?:not-ready|unreachable|network-unavailable)|node\.cloudprovider\.kubernetes\.io\/uninitialized|persistentvolumeclaim "[^"]*" not found|unbound immediate PersistentVolumeClaims|binding volumes/

/** Hosts before 1.35 use the second form. */
const BOUND_ELSEWHERE = /PersistentVolume's node affinity|volume node affinity conflict/

/** Events of autoscalers that add a node, and of one that cannot. */
const SCALING_UP = ['TriggeredScaleUp', 'Nominated', 'NominatedNode']
const NOT_SCALING_UP = 'NotTriggerScaleUp'

/** Returns why no node accepts a pod. */
export function schedulingProblem(
  pod: Pod,
  events: readonly HostEvent[],
  context: ProblemContext,
): Problem | undefined {
  const condition = failedCondition(pod, 'PodScheduled')
  const { lastTransitionTime, message = '', reason } = condition ?? {}
  if (reason === 'SchedulingGated') {
    const text = 'a scheduling gate of the host cluster prevents its scheduling'
    const get = `get pod ${pod.metadata.name} -o jsonpath={.spec.schedulingGates}`
    return { state: reason, reason: text, hints: [kubectl(context, get)], final: false }
  }
  if (reason !== 'Unschedulable') {
    return undefined
  }
  const isTransient =
    TRANSIENT.test(message) ||
    // The host evicts other pods for it.
    (pod.status?.nominatedNodeName ?? '') !== '' ||
    eventsAbout(pod, events, ...SCALING_UP).length > 0
  const isNotScaling = eventsAbout(pod, events, NOT_SCALING_UP).length > 0
  return {
    state: 'Unschedulable',
    reason: `no node accepts it: ${shortened(message)}`,
    hints: [...hintsFor(message, context), kubectl(context, `describe pod ${pod.metadata.name}`)],
    final: !isTransient,
    unfitSinceMs: isNotScaling ? undefined : toTimeMs(lastTransitionTime),
    boundBy: BOUND_ELSEWHERE.test(message) ? claimOf(pod) : undefined,
    isTainted: !isTransient && /untolerated taint\(s\)/.test(message),
    isCrowded: /Insufficient|Too many pods/.test(message),
  }
}

/** The pods of a plane have at most one persistent volume. */
function claimOf({ spec }: Pod): string | undefined {
  const claim = spec?.volumes?.find((one) => one.persistentVolumeClaim !== undefined)
  return claim?.persistentVolumeClaim?.claimName
}

/** Omits what the scheduler adds to every reason about preemption and resource claims. */
function shortened(message: string): string {
  return message
    .replace(/\.? ?(?:no new claims to deallocate|still not schedulable|preemption:)[^]*$/, '')
    .replace(/^(\d+\/\d+ nodes are available): /, '$1, ')
    .replace(/\.(?: not found)?$/, '')
    .trim()
}

function hintsFor(message: string, { component, hostContext }: ProblemContext): Hint[] {
  const path = specPathOf(component)
  const resources = ['cpu', 'memory'].filter((name) => message.includes(`Insufficient ${name}`))
  const isApart = /anti-affinity|topology spread/.test(message)
  return [
    ...resources.flatMap((name): Hint[] => [
      { purpose: 'to request less', set: `${path}.resources.requests.${name}=QUANTITY` },
      { purpose: 'or less of every resource', preset: 'nano' },
    ]),
    ...(isApart ? [{ set: `${path}.replicas=1` }, 'or add nodes to the host cluster'] : []),
    ...(BOUND_ELSEWHERE.test(message)
      ? [`only the node of its volume can run it: ${clusterKubectl({ hostContext })} get nodes`]
      : []),
    ...(/Pod's node affinity|node selector|affinity\/selector/.test(message)
      ? [
          { set: 'pods.nodeSelector.LABEL=VALUE' },
          `to list the labels: ${clusterKubectl({ hostContext })} get nodes --show-labels`,
        ]
      : []),
    ...(/untolerated taint/.test(message)
      ? [
          `tolerate the taint: pods.tolerations in the spec; ${clusterKubectl({ hostContext })} describe nodes`,
        ]
      : []),
  ]
}
