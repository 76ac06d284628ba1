import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { type Json, recordsAt, recordAt } from '../../shared/json-fields.ts'

/** On virtual nodes: the labels and taints that the syncer set, so that it can remove outdated ones. */
const LABELS_ANNOTATION = 'vplane.dev/labels'
const TAINTS_ANNOTATION = 'vplane.dev/taints'

/** The node with annotations that list its labels and taints as the syncer's. */
export function withNodeMarks<Node extends KubeObject>(node: Node): Node {
  const { labels = {} } = node.metadata
  const annotations = {
    [LABELS_ANNOTATION]: Object.keys(labels).toSorted().join(' '),
    [TAINTS_ANNOTATION]: taintsOf(node).map(idOf).toSorted().join(' '),
  }
  return { ...node, metadata: { ...node.metadata, annotations } }
}

/** A node with the wanted labels and taints and those of others; undefined when it has them already. */
export function markedNode(known: KubeObject, wanted: KubeObject): KubeObject | undefined {
  const { annotations = {}, labels = {} } = known.metadata
  const listIn = (key: string) => (annotations[key] ?? '').split(' ')
  const [ownLabels, ownTaints] = [listIn(LABELS_ANNOTATION), listIn(TAINTS_ANNOTATION)]
  const others = Object.entries(labels).filter(([key]) => !ownLabels.includes(key))
  const metadata = {
    ...known.metadata,
    labels: { ...Object.fromEntries(others), ...wanted.metadata.labels },
    annotations: { ...annotations, ...wanted.metadata.annotations },
  }
  const [current, next] = [taintsOf(known), taintsOf(wanted)]
  const replaced = new Set([...next.map(idOf), ...ownTaints])
  const taints = [...current.filter((taint) => !replaced.has(idOf(taint))), ...next]
  const isSame =
    isDeepStrictEqual(labels, metadata.labels) &&
    isDeepStrictEqual(annotations, metadata.annotations) &&
    isDeepStrictEqual(sorted(current), sorted(taints))
  return isSame ? undefined : { ...known, metadata, spec: { ...recordAt(known, 'spec'), taints } }
}

function taintsOf(node: KubeObject): Json[] {
  return recordsAt(node, 'spec', 'taints')
}

/** Key and effect, which are unique among the taints of a node. */
function idOf({ effect, key }: Json): string {
  return `${String(key)}:${String(effect)}`
}

function sorted(taints: readonly Json[]): Json[] {
  return taints.toSorted((one, other) => idOf(one).localeCompare(idOf(other)))
}
