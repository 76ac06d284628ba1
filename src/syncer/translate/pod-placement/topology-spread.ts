import { type Json, picked, recordAt, recordsAt } from '../reading.ts'
import { toHostPodSelector } from './host-affinity.ts'
import { knownFields, type PodDraft } from '../pod-draft/pod-draft.ts'

const KEPT_FIELDS = [
  'maxSkew',
  'minDomains',
  'nodeAffinityPolicy',
  'nodeTaintsPolicy',
  'topologyKey',
  'whenUnsatisfiable',
]

/** How a pod is spread on the host: counting only pods of its plane and namespace. */
export function toHostTopologySpread(draft: PodDraft): Json[] {
  return recordsAt(draft.pod.spec, 'topologySpreadConstraints').map((constraint, index) => {
    const at = `spec.topologySpreadConstraints[${index}]`
    const fields = [...KEPT_FIELDS, 'labelSelector', 'matchLabelKeys']
    const known = knownFields(draft, constraint, { at, fields })
    const selector = recordAt(known, 'labelSelector')
    const namespaces = [draft.pod.namespace]
    return {
      ...picked(known, KEPT_FIELDS),
      ...(selector === undefined
        ? {}
        : { labelSelector: toHostPodSelector(draft, { selector, term: known, namespaces }) }),
    }
  })
}
