import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { type Json, recordsAt, recordAt } from '../../shared/json-fields.ts'

/** On virtual nodes: the labels and taints that the syncer gave, so that those of others can be told from what went away. */
const LABELS_ANNOTATION = 'vplane.dev/labels'
const TAINTS_ANNOTATION = 'vplane.dev/taints'

/** The node with notes of which of its labels and taints are the syncer's. */
export function withNodeMarks<Node extends KubeObject>(node: Node): Node {
  const { labels = {} } = node.metadata
  const annotations = {
    [LABELS_ANNOTATION]: Object.keys(labels).toSorted().join(' '),
    [TAINTS_ANNOTATION]: taintsOf(node).map(idOf).toSorted().join(' '),
  }
  return { ...node, metadata: { ...node.metadata, annotations } }
}

/** A node with the labels and taints that are wanted, beside those of others; undefined when it has them. */
export function markedNode(known: KubeObject, wanted: KubeObject): KubeObject | undefined {
  const { annotations = {}, labels = {} } = known.metadata
  const [givenLabels, givenTaints] = [LABELS_ANNOTATION, TAINTS_ANNOTATION].map(
    (key) => new Set((annotations[key] ?? '').split(' ')),
  )
  const others = Object.entries(labels).filter(([key]) => givenLabels?.has(key) === false)
  const metadata = {
    ...known.metadata,
    labels: { ...Object.fromEntries(others), ...wanted.metadata.labels },
    annotations: { ...annotations, ...wanted.metadata.annotations },
  }
  const [is, to] = [taintsOf(known), taintsOf(wanted)]
  const wantedTaints = new Set(to.map(idOf))
  const taints = [
    ...is.filter((taint) => {
      const id = idOf(taint)
      return !wantedTaints.has(id) && givenTaints?.has(id) === false
    }),
    ...to,
  ]
  const isSame =
    isDeepStrictEqual(labels, metadata.labels) &&
    isDeepStrictEqual(annotations, metadata.annotations) &&
    isDeepStrictEqual(sorted(is), sorted(taints))
  return isSame ? undefined : { ...known, metadata, spec: { ...recordAt(known, 'spec'), taints } }
}

function taintsOf(node: KubeObject): Json[] {
  return recordsAt(node, 'spec', 'taints')
}

/** No node has two of the same key and effect. */
function idOf({ effect, key }: Json): string {
  return `${String(key)}:${String(effect)}`
}

function sorted(taints: readonly Json[]): Json[] {
  return taints.toSorted((one, other) => idOf(one).localeCompare(idOf(other)))
}
