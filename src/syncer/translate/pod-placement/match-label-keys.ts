import type { LabelRequirement, LabelSelector } from '../label-selector.ts'
import { type Json, textsAt } from '../reading.ts'

/**
 * A selector with `matchLabelKeys` and `mismatchLabelKeys` written out by the pod's own labels, as kube-apiserver does
 * when the pod is made: it has done so for affinity from 1.31 and for topology spread from 1.34, and then nothing
 * changes. On the host the keys must go, since the host would write them out once more.
 */
export function withMatchLabelKeys(
  selector: LabelSelector,
  term: Json,
  labels: Readonly<Record<string, string>>,
): LabelSelector {
  const { matchExpressions = [] } = selector
  const added = [
    ...requirements('In', textsAt(term, 'matchLabelKeys'), labels),
    ...requirements('NotIn', textsAt(term, 'mismatchLabelKeys'), labels),
  ].filter((one) => !matchExpressions.some((other) => isSame(one, other)))
  return added.length === 0
    ? selector
    : { ...selector, matchExpressions: [...matchExpressions, ...added] }
}

/** Keys that the pod does not have are passed over. */
function requirements(
  operator: 'In' | 'NotIn',
  keys: readonly string[],
  labels: Readonly<Record<string, string>>,
): Array<Required<LabelRequirement>> {
  return keys
    .filter((key) => Object.hasOwn(labels, key))
    .map((key) => ({ key, operator, values: [labels[key] ?? ''] }))
}

function isSame(one: Required<LabelRequirement>, { key, operator, values }: LabelRequirement) {
  return (
    key === one.key &&
    operator === one.operator &&
    values?.length === 1 &&
    values[0] === one.values[0]
  )
}
