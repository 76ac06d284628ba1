import { isLeaving, type KubeObject } from '../../../shared/kube/kube-object.ts'

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
  const { metadata, status } = pod
  const { conditions, containerStatuses, phase } = fieldsIn(status)
  const isEnding = isLeaving(pod)
  const isRunning =
    !isEnding &&
    phase === 'Running' &&
    listOf(containerStatuses).some(({ state }) => fieldsIn(state)['running'] !== undefined)
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    isRunning,
    isReady:
      !isEnding &&
      listOf(conditions).some(({ type, status: value }) => type === 'Ready' && value === 'True'),
  }
}

function listOf(value: unknown): Array<Record<string, unknown>> {
  return Array.isArray(value) ? value.map(fieldsIn) : []
}

function fieldsIn(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
