import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../shared/json-fields.ts'
import { KEYS_ANNOTATION } from '../translate/markers.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** The host object with an annotation that lists the annotations of the syncer, for later comparisons. */
export function withMarks(wanted: KubeObject): KubeObject {
  const { annotations = {} } = wanted.metadata
  const keys = Object.keys(annotations).toSorted().join(' ')
  return {
    ...wanted,
    metadata: { ...wanted.metadata, annotations: { ...annotations, [KEYS_ANNOTATION]: keys } },
  }
}

/**
 * The host object to replace the known one with; undefined when that is up to date. All labels are the syncer's;
 * annotations, finalizers and owners that others on the host have added stay.
 *
 * @param hostFields fields of `spec` that keep the host's values unless `wanted` sets them
 */
export function hostChange(
  known: KubeObject,
  wanted: KubeObject,
  hostFields: readonly string[] = [],
): KubeObject | undefined {
  const marked = withMarks(wanted)
  const { labels = {} } = marked.metadata
  const annotations = { ...othersOf(known), ...marked.metadata.annotations }
  const change = {
    ...marked,
    ...mergedSpec(known, marked, hostFields),
    metadata: { ...known.metadata, labels, annotations },
  }
  const isSame =
    isDeepStrictEqual(contentOf(known), contentOf(change)) &&
    isDeepStrictEqual(known.metadata.labels ?? {}, labels) &&
    isDeepStrictEqual(known.metadata.annotations ?? {}, annotations)
  return isSame ? undefined : change
}

/** The annotations of a host object that others have added. */
function othersOf({ metadata: { annotations = {} } }: KubeObject): Record<string, string> {
  const ours = (annotations[KEYS_ANNOTATION] ?? '').split(' ')
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !ours.includes(key)))
}

function mergedSpec(
  known: KubeObject,
  wanted: KubeObject,
  hostFields: readonly string[],
): { spec?: Record<string, unknown> } {
  const [is, to] = [known['spec'], wanted['spec']]
  if (!isRecord(is) || !isRecord(to)) {
    return {}
  }
  const own = Object.entries(is).filter(([field]) => hostFields.includes(field))
  return { spec: { ...Object.fromEntries(own), ...to } }
}

/** All of an object except metadata, status and empty fields, which mean nothing. */
function contentOf(object: KubeObject): unknown {
  const { metadata: _, status: __, ...content } = object
  return withoutEmpty(content)
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutEmpty)
  }
  if (!isRecord(value)) {
    return value
  }
  const fields = Object.entries(value).map(([field, one]) => [field, withoutEmpty(one)] as const)
  return Object.fromEntries(fields.filter(([, one]) => !isEmpty(one)))
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (typeof value === 'object' && Object.keys(value).length === 0)
  )
}
