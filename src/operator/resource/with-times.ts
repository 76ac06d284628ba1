import { conditionOf, type KubeObject } from '../../shared/kube/kube-object.ts'

/** Conditions as a status has them: about the present generation, and with the former time where the status is the same. */
export function withTimes<Condition extends { type: string; status: string }>(
  resource: KubeObject,
  conditions: readonly Condition[],
  now: Date,
): Array<Condition & { observedGeneration: unknown; lastTransitionTime: unknown }> {
  const { generation } = resource.metadata
  return conditions.map((condition) => {
    const known = conditionOf(resource, condition.type)
    const isSame = known?.['status'] === condition.status
    const lastTransitionTime = isSame ? known['lastTransitionTime'] : now.toISOString()
    return { ...condition, observedGeneration: generation, lastTransitionTime }
  })
}
