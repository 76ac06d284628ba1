import { isLeaving, type KubeObject, conditionOf } from '../../../shared/kube/kube-object.ts'
import { fieldAt, recordsAt } from '../../../shared/json-fields.ts'

/** A pod of kube-apiserver, with the fields that are needed to connect to it. */
export interface ApiServerPod {
  name: string
  uid: string
  isReady: boolean
  /** It may not serve yet. */
  isRunning: boolean
}

export function toApiServerPod(pod: KubeObject): ApiServerPod {
  const { metadata } = pod
  const isEnding = isLeaving(pod)
  const isRunning =
    !isEnding &&
    fieldAt(pod, 'status', 'phase') === 'Running' &&
    recordsAt(pod, 'status', 'containerStatuses').some(
      (container) => fieldAt(container, 'state', 'running') !== undefined,
    )
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    isRunning,
    isReady: !isEnding && conditionOf(pod, 'Ready')?.['status'] === 'True',
  }
}
