import { isRecord } from '../../../../src/shared/json-fields.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'

/** Returns whether a node is ready. */
export function isNodeReady({ status }: KubeObject): boolean {
  const conditions = isRecord(status) ? status['conditions'] : undefined
  return (
    Array.isArray(conditions) &&
    conditions.some(
      (each) => isRecord(each) && each['type'] === 'Ready' && each['status'] === 'True',
    )
  )
}
