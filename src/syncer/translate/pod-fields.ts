import type { SchedulerChoice } from '../../control-plane/spec/fields/host-spec.ts'
import { fieldAt, arrayAt, recordsAt, textAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** The node that a pod is bound to. */
export function nodeNameOf(pod: KubeObject | undefined): string | undefined {
  return textAt(pod, 'spec', 'nodeName')
}

/** Whether a pod may be created on the host: a scheduler of the plane has to assign it to a node before. */
export function isPlaced(
  pod: KubeObject,
  { scheduler }: { scheduler?: SchedulerChoice | undefined },
): boolean {
  return scheduler !== 'virtual' || nodeNameOf(pod) !== undefined
}

/** Whether a pod has scheduling gates, which someone in the plane has to remove. */
export function isGated(pod: KubeObject): boolean {
  return arrayAt(pod, 'spec', 'schedulingGates').length > 0
}

/** The types of the conditions that a pod additionally requires to be ready. */
export function readinessGatesOf(pod: KubeObject): string[] {
  return recordsAt(pod, 'spec', 'readinessGates').flatMap(
    (gate) => textAt(gate, 'conditionType') ?? [],
  )
}

/** Whether all of a pod's containers have terminated for the last time. */
export function isEnded(pod: KubeObject): boolean {
  const phase = fieldAt(pod, 'status', 'phase')
  return phase === 'Succeeded' || phase === 'Failed'
}

/** Whether a pod needs its node, also for its logs after it has terminated; pods of DaemonSets follow their nodes. */
export function needsNode(pod: KubeObject): boolean {
  const isOfDaemonSet = recordsAt(pod, 'metadata', 'ownerReferences').some(
    (owner) => owner['kind'] === 'DaemonSet' && owner['controller'] === true,
  )
  return nodeNameOf(pod) !== undefined && !isOfDaemonSet
}
