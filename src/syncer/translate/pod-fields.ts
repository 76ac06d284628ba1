import type { SchedulerChoice } from '../../control-plane/spec/fields/host-spec.ts'
import { isRecord } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** The node that a pod is bound to. */
export function nodeNameOf({ spec }: KubeObject): string | undefined {
  const name = isRecord(spec) ? spec['nodeName'] : undefined
  return typeof name === 'string' && name !== '' ? name : undefined
}

/** Tells whether a pod may go to the host: with a scheduler of the plane, once that has chosen its node. */
export function isPlaced(
  pod: KubeObject,
  { scheduler }: { scheduler?: SchedulerChoice | undefined },
): boolean {
  return scheduler !== 'virtual' || nodeNameOf(pod) !== undefined
}

/** Tells whether a pod waits for somebody in the plane before it may be scheduled. */
export function isGated({ spec }: KubeObject): boolean {
  const gates = isRecord(spec) ? spec['schedulingGates'] : undefined
  return Array.isArray(gates) && gates.length > 0
}

/** The types of the conditions that have to be true besides, for a pod to be ready. */
export function readinessGatesOf({ spec }: KubeObject): string[] {
  const gates = isRecord(spec) ? spec['readinessGates'] : undefined
  return (Array.isArray(gates) ? gates : []).flatMap((gate: unknown) =>
    isRecord(gate) && typeof gate['conditionType'] === 'string' ? [gate['conditionType']] : [],
  )
}

/** Tells whether none of a pod's containers runs or will run again. */
export function isEnded({ status }: KubeObject): boolean {
  const phase = isRecord(status) ? status['phase'] : undefined
  return phase === 'Succeeded' || phase === 'Failed'
}

/**
 * Tells whether a pod is a reason for its node to be there. Those of DaemonSets come and go with their nodes. What has
 * ended needs it for its logs: pods whose node is gone are removed by the plane's garbage collector.
 */
export function needsNode(pod: KubeObject): boolean {
  const { ownerReferences } = pod.metadata
  const isOfDaemonSet = (Array.isArray(ownerReferences) ? ownerReferences : []).some(
    (owner: unknown) =>
      isRecord(owner) && owner['kind'] === 'DaemonSet' && owner['controller'] === true,
  )
  return nodeNameOf(pod) !== undefined && !isOfDaemonSet
}
