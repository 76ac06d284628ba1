import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../shared/json-fields.ts'
import { KEYS_ANNOTATION } from '../translate/markers.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** The host object as it is to be made: it tells a later look which of its annotations are ours. */
export function withMarks(wanted: KubeObject): KubeObject {
  const { annotations = {} } = wanted.metadata
  const keys = Object.keys(annotations).toSorted().join(' ')
  return {
    ...wanted,
    metadata: { ...wanted.metadata, annotations: { ...annotations, [KEYS_ANNOTATION]: keys } },
  }
}

/**
 * The host object as it is to be from now on; undefined when it is so already. Labels are ours alone; annotations,
 * finalizers and owners that others on the host have added stay.
 *
 * @param hostsOwn fields of `spec` that stay as the host has them where nothing is wanted of them
 */
export function hostChange(
  known: KubeObject,
  wanted: KubeObject,
  hostsOwn: readonly string[] = [],
): KubeObject | undefined {
  const marked = withMarks(wanted)
  const { labels = {} } = marked.metadata
  const annotations = { ...othersOf(known), ...marked.metadata.annotations }
  const change = {
    ...marked,
    ...keptSpec(known, marked, hostsOwn),
    metadata: { ...known.metadata, labels, annotations },
  }
  const isSame =
    isDeepStrictEqual(contentOf(known), contentOf(change)) &&
    isDeepStrictEqual(known.metadata.labels ?? {}, labels) &&
    isDeepStrictEqual(known.metadata.annotations ?? {}, annotations)
  return isSame ? undefined : change
}

/** Annotations of a host object that are none of ours. */
function othersOf({ metadata: { annotations = {} } }: KubeObject): Record<string, string> {
  const ours = (annotations[KEYS_ANNOTATION] ?? '').split(' ')
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !ours.includes(key)))
}

function keptSpec(
  known: KubeObject,
  wanted: KubeObject,
  hostsOwn: readonly string[],
): { spec?: Record<string, unknown> } {
  const [is, to] = [known['spec'], wanted['spec']]
  if (!isRecord(is) || !isRecord(to)) {
    return {}
  }
  const own = Object.entries(is).filter(([field]) => hostsOwn.includes(field))
  return { spec: { ...Object.fromEntries(own), ...to } }
}

/** What an object says, but for what it is called and how it fares; nothing is said by what is empty. */
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
