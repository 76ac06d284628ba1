import { clusterKubectl, kubectl } from '../../context/kubectl-hint.ts'
import { specPathOf } from '../../context/object-names.ts'
import {
  failedCondition,
  type HostNote,
  momentOf,
  notesAbout,
  type Pod,
} from '../../host/host-pod.ts'
import type { Problem, ProblemContext } from '../../context/problem.ts'
import type { Hint } from '../../../../shared/hint.ts'

/** Nodes that come up, and volumes on their way: the scheduler looks again by itself. Hosts of 1.36 name no taints here. */
const PASSING =
  /no nodes available|node\.kubernetes\.io\/(?:not-ready|unreachable|network-unavailable)|node\.cloudprovider\.kubernetes\.io\/uninitialized|persistentvolumeclaim "[^"]*" not found|unbound immediate PersistentVolumeClaims|binding volumes/

/** Hosts before 1.35 say it in the other way. */
const BOUND_ELSEWHERE = /PersistentVolume's node affinity|volume node affinity conflict/

/** Autoscalers that have understood, and one that cannot help. */
const NODES_ARE_COMING = ['TriggeredScaleUp', 'Nominated', 'NominatedNode']
const NO_NODES_COME = 'NotTriggerScaleUp'

/** Why no node takes a pod. */
export function schedulingProblem(
  pod: Pod,
  notes: readonly HostNote[],
  context: ProblemContext,
): Problem | undefined {
  const condition = failedCondition(pod, 'PodScheduled')
  const { lastTransitionTime, message = '', reason } = condition ?? {}
  if (reason === 'SchedulingGated') {
    const text = 'something of the host cluster holds it back from being scheduled'
    const hint = kubectl(
      context,
      `get pod ${pod.metadata.name} -o jsonpath={.spec.schedulingGates}`,
    )
    return { state: reason, reason: text, hints: [hint], final: false }
  }
  if (reason !== 'Unschedulable') {
    return undefined
  }
  const isTransient =
    PASSING.test(message) ||
    // Others make room for it.
    (pod.status?.nominatedNodeName ?? '') !== '' ||
    notesAbout(pod, notes, ...NODES_ARE_COMING).length > 0
  const isHelpless = notesAbout(pod, notes, NO_NODES_COME).length > 0
  return {
    state: 'Unschedulable',
    reason: `no node takes it: ${shortened(message)}`,
    hints: [...hintsFor(message, context), kubectl(context, `describe pod ${pod.metadata.name}`)],
    final: !isTransient,
    unfitSinceMs: isHelpless ? undefined : momentOf(lastTransitionTime),
    ...boundBy(pod, message),
    ...(!isTransient && /untolerated taint\(s\)/.test(message) ? { isTainted: true } : {}),
    ...(/Insufficient|Too many pods/.test(message) ? { isCrowded: true } : {}),
  }
}

/** A plane's pods have one volume that stays. */
function boundBy({ spec }: Pod, message: string): Pick<Problem, 'boundBy'> {
  const claim = spec?.volumes?.find((one) => one.persistentVolumeClaim !== undefined)
  const name = claim?.persistentVolumeClaim?.claimName
  return name === undefined || !BOUND_ELSEWHERE.test(message) ? {} : { boundBy: name }
}

/** Without what the scheduler says about preemption and resource claims, which is the same with every reason. */
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
      { purpose: 'ask for less', set: `${path}.resources.requests.${name}=QUANTITY` },
      { purpose: 'or for little of everything', preset: 'nano' },
    ]),
    ...(isApart ? [{ set: `${path}.replicas=1` }, 'or add nodes to the host cluster'] : []),
    ...(BOUND_ELSEWHERE.test(message)
      ? [`only the node of its volume can take it: ${clusterKubectl({ hostContext })} get nodes`]
      : []),
    ...(/Pod's node affinity|node selector|affinity\/selector/.test(message)
      ? [
          { set: 'pods.nodeSelector.LABEL=VALUE' },
          `which there are: ${clusterKubectl({ hostContext })} get nodes --show-labels`,
        ]
      : []),
    ...(/untolerated taint/.test(message)
      ? [
          `tolerate the taint: pods.tolerations in the spec; ${clusterKubectl({ hostContext })} describe nodes`,
        ]
      : []),
  ]
}
