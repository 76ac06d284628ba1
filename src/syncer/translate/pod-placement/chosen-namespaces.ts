import { isSelected, type NamespaceChoice, readSelector } from '../label-selector.ts'
import { type Json, recordAt, textsAt } from '../reading.ts'
import type { PodDraft } from '../pod-draft/pod-draft.ts'

/**
 * The virtual namespaces that a term of pod affinity means: those it names and those whose labels it selects now, else
 * the pod's own. A namespace that comes later is not among them, unless the term means all.
 */
export function chosenNamespaces({ context, pod }: PodDraft, term: Json): NamespaceChoice {
  const named = textsAt(term, 'namespaces')
  const selector = recordAt(term, 'namespaceSelector')
  if (selector === undefined) {
    return named.length === 0 ? [pod.namespace] : named
  }
  if (Object.keys(selector).length === 0) {
    return 'all'
  }
  const wanted = readSelector(selector)
  const selected = context.namespaces.filter(({ labels }) => isSelected(wanted, labels))
  return [...named, ...selected.map(({ name }) => name)]
}
