import { isLeaving, type KubeObject, conditionOf } from '../../../shared/kube/kube-object.ts'
import { fieldAt, recordsAt } from '../../../shared/json-fields.ts'

/** A pod of kube-apiserver, as far as dialling it goes. */
export interface ApiServerPod {
  name: string
  uid: string
  /** It passes its readiness probe and is to stay. */
  isReady: boolean
  /** Its process runs and is to stay; it may not serve yet, or serve badly. */
  isRunning: boolean
}

/** Reads a pod of the host's API. */
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
