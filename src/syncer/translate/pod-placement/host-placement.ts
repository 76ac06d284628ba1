import { picked, provided } from '../reading.ts'
import { onNode, toHostAffinity, toHostPodSelector } from './host-affinity.ts'
import { knownFields, type PodDraft } from '../pod-draft/pod-draft.ts'
import { type Json, recordAt, recordsAt, textAt } from '../../../shared/json-fields.ts'

const COPIED_FIELDS = [
  'maxSkew',
  'minDomains',
  'nodeAffinityPolicy',
  'nodeTaintsPolicy',
  'topologyKey',
  'whenUnsatisfiable',
]

/** The scheduling constraints of a host pod: all of the virtual one, or the node that a scheduler of the plane has chosen. */
export function toHostPlacement(draft: PodDraft): Json {
  const { context, pod } = draft
  // That scheduler has applied all others, by labels and pods that the host may not know.
  if (context.scheduler === 'virtual') {
    const node = textAt(pod.spec, 'nodeName')
    return node === undefined ? {} : { affinity: { nodeAffinity: onNode(node) } }
  }
  return provided({
    nodeSelector: pod.spec['nodeSelector'],
    affinity: toHostAffinity(draft),
    topologySpreadConstraints: toHostTopologySpread(draft),
  })
}

/** The topology spread constraints on the host, which count only pods of the pod's plane and namespace. */
function toHostTopologySpread(draft: PodDraft): Json[] {
  return recordsAt(draft.pod.spec, 'topologySpreadConstraints').map((constraint, index) => {
    const at = `spec.topologySpreadConstraints[${index}]`
    const fields = [...COPIED_FIELDS, 'labelSelector', 'matchLabelKeys']
    const known = knownFields(draft, constraint, { at, fields })
    const selector = recordAt(known, 'labelSelector')
    const namespaces = [draft.pod.namespace]
    return {
      ...picked(known, COPIED_FIELDS),
      ...provided({
        labelSelector: selector && toHostPodSelector(draft, { selector, term: known, namespaces }),
      }),
    }
  })
}
