import type { SchedulerChoice } from '../../control-plane/spec/fields/host-spec.ts'
import { fieldAt, arrayAt, recordsAt, textAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** The node that a pod is bound to. */
export function nodeNameOf(pod: KubeObject): string | undefined {
  return textAt(pod, 'spec', 'nodeName')
}

/** Tells whether a pod may go to the host: with a scheduler of the plane, once that has chosen its node. */
export function isPlaced(
  pod: KubeObject,
  { scheduler }: { scheduler?: SchedulerChoice | undefined },
): boolean {
  return scheduler !== 'virtual' || nodeNameOf(pod) !== undefined
}

/** Tells whether a pod waits for somebody in the plane before it may be scheduled. */
export function isGated(pod: KubeObject): boolean {
  return arrayAt(pod, 'spec', 'schedulingGates').length > 0
}

/** The types of the conditions that have to be true besides, for a pod to be ready. */
export function readinessGatesOf(pod: KubeObject): string[] {
  return recordsAt(pod, 'spec', 'readinessGates').flatMap(
    (gate) => textAt(gate, 'conditionType') ?? [],
  )
}

/** Tells whether none of a pod's containers runs or will run again. */
export function isEnded(pod: KubeObject): boolean {
  const phase = fieldAt(pod, 'status', 'phase')
  return phase === 'Succeeded' || phase === 'Failed'
}

/**
 * Tells whether a pod is a reason for its node to be there. Those of DaemonSets come and go with their nodes. What has
 * ended needs it for its logs: pods whose node is gone are removed by the plane's garbage collector.
 */
export function needsNode(pod: KubeObject): boolean {
  const isOfDaemonSet = recordsAt(pod, 'metadata', 'ownerReferences').some(
    (owner) => owner['kind'] === 'DaemonSet' && owner['controller'] === true,
  )
  return nodeNameOf(pod) !== undefined && !isOfDaemonSet
}
