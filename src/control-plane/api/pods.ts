import { fieldAt, textAt } from '../../shared/json-fields.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { PlaneApi } from './plane-api.ts'

/** Whether a pod is bound to a node. */
export function hasNode(pod: KubeObject): boolean {
  return textAt(pod, 'spec', 'nodeName') !== undefined
}

/** Whether all containers of a pod have ended, and none will run again. */
export function isEnded(pod: KubeObject): boolean {
  return ['Succeeded', 'Failed'].includes(String(fieldAt(pod, 'status', 'phase')))
}

/** Deletes a pod at once, without a grace period. */
export async function deletePod(
  api: Pick<PlaneApi, 'delete'>,
  { metadata }: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  await api.delete(objectPath('pods', metadata), { graceSeconds: 0, signal })
}
