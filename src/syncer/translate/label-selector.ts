import type { KubeObject } from '../../shared/kube/kube-object.ts'
import {
  isSelected,
  type LabelRequirement,
  type Labels,
  type LabelSelector,
} from '../../shared/kube/label-selector.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import { toHostLabelKey, toHostLabels } from './host-keys.ts'
import { markerLabels } from './host-metadata.ts'
import { NAMESPACE_LABEL } from './markers.ts'
import { type Json, recordsAt, textAt, textMapAt, textsAt } from '../../shared/json-fields.ts'

/** The virtual namespaces that a selector covers. */
export type NamespaceChoice = 'all' | readonly string[]

export interface LabelledNamespace {
  name: string
  labels: Labels
}

/** No object is in the namespace without a name. */
const NOWHERE = ['']

/** Reads name and labels of Namespaces. */
export function labelledNamespaces(namespaces: Iterable<KubeObject>): LabelledNamespace[] {
  return [...namespaces].map(({ metadata: { labels = {}, name = '' } }) => ({ name, labels }))
}

/** The host's selector for what a selector of the plane selects: only host objects of the plane, of these namespaces. */
export function toHostSelector(
  scope: SyncScope,
  { matchExpressions = [], matchLabels = {} }: LabelSelector,
  namespaces: NamespaceChoice,
): LabelSelector {
  const [first, ...others] = namespaces === 'all' ? [] : namespaces
  const isOne = namespaces !== 'all' && first !== undefined && others.length === 0
  const expressions = [
    ...matchExpressions.map((one) => ({ ...one, key: toHostLabelKey(scope, one.key) })),
    ...(isOne ? [] : [inNamespaces(namespaces)]),
  ]
  return {
    matchLabels: {
      ...toHostLabels(scope, matchLabels),
      ...markerLabels(scope, isOne ? first : undefined),
    },
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions }),
  }
}

function inNamespaces(namespaces: NamespaceChoice): LabelRequirement {
  if (namespaces === 'all') {
    return { key: NAMESPACE_LABEL, operator: 'Exists' }
  }
  const values = namespaces.length === 0 ? NOWHERE : [...new Set(namespaces)].toSorted()
  return { key: NAMESPACE_LABEL, operator: 'In', values }
}

/** Reads a user's selector, without fields of another type. */
export function readSelector(selector: Json): LabelSelector {
  return {
    matchLabels: textMapAt(selector, 'matchLabels'),
    matchExpressions: recordsAt(selector, 'matchExpressions').map((one) => ({
      key: textAt(one, 'key') ?? '',
      operator: textAt(one, 'operator') ?? '',
      ...(Array.isArray(one['values']) ? { values: textsAt(one, 'values') } : {}),
    })),
  }
}

/** The virtual namespaces that a namespace selector selects: an empty one selects all. */
export function selectedNamespaces(
  selector: Json,
  namespaces: readonly LabelledNamespace[],
): NamespaceChoice {
  const wanted = readSelector(selector)
  const isEmpty = Object.values(wanted).every((part) => Object.keys(part).length === 0)
  return isEmpty
    ? 'all'
    : namespaces.filter(({ labels }) => isSelected(wanted, labels)).map(({ name }) => name)
}
