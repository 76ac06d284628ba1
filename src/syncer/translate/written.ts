import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { KEYS_ANNOTATION, LABELS_ANNOTATION } from './markers.ts'

type Entries = Readonly<Record<string, string>>

/** The host object with annotations that list the labels and annotations of the syncer, for later comparisons. */
export function withMarks(wanted: KubeObject): KubeObject {
  const { annotations = {}, labels = {} } = wanted.metadata
  const listed = { ...annotations, [LABELS_ANNOTATION]: listOf(labels) }
  return {
    ...wanted,
    metadata: {
      ...wanted.metadata,
      annotations: { ...listed, [KEYS_ANNOTATION]: listOf(annotations) },
    },
  }
}

function listOf(entries: Entries): string {
  return Object.keys(entries).toSorted().join(' ')
}

/** The labels and annotations of a host object that others on the host have added. */
export function ofOthers({ metadata }: KubeObject): { annotations: Entries; labels: Entries } {
  const { annotations = {}, labels = {} } = metadata
  const marks = [KEYS_ANNOTATION, LABELS_ANNOTATION]
  const annotationKeys = [...(annotations[KEYS_ANNOTATION] ?? '').split(' '), ...marks]
  // An object from before vplane listed them has only labels of the syncer.
  const labelKeys = annotations[LABELS_ANNOTATION]?.split(' ') ?? Object.keys(labels)
  return {
    annotations: without(annotations, annotationKeys),
    labels: without(labels, labelKeys),
  }
}

function without(entries: Entries, keys: readonly string[]): Entries {
  return Object.fromEntries(Object.entries(entries).filter(([key]) => !keys.includes(key)))
}
