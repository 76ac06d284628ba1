import { isCopiedAnnotation } from '../host-annotations.ts'
import { toHostLabelKey } from '../host-keys.ts'
import { NAME_ANNOTATION, NAMESPACE_ANNOTATION, UID_ANNOTATION } from '../markers.ts'
import { accountOf, saveForPod, type PodDraft } from '../pod-draft/pod-draft.ts'
import { type Json, textAt } from '../../../shared/json-fields.ts'

/** Annotations on host pods with the content of a file of all labels or annotations of the virtual pod. */
const LABELS_FILE = 'vplane.dev/downward-labels'
const ANNOTATIONS_FILE = 'vplane.dev/downward-annotations'

/** Fields with the same value in the plane, where nodes have the same names. */
const SHARED_FIELDS = [
  'spec.nodeName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]

const ONE_OF_MAP = /^metadata\.(labels|annotations)\['([^']*)'\]$/

const LETTERS: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** The source of a variable with the plane's value of a field: the value, or a host field; undefined when it is refused. */
export function toHostEnvField(
  draft: PodDraft,
  fieldRef: Json,
  at: string,
): { value: string } | { fieldPath: string } | undefined {
  const { pod } = draft
  const path = textAt(fieldRef, 'fieldPath') ?? ''
  switch (path) {
    case 'metadata.name':
      return { value: pod.name }
    case 'metadata.namespace':
      return { value: pod.namespace }
    case 'metadata.uid':
      return { value: pod.uid }
    case 'spec.serviceAccountName':
      return { value: accountOf(pod) }
    default: {
      const fieldPath = SHARED_FIELDS.includes(path) ? path : entryPath(draft, path)
      return fieldPath === undefined ? refused(draft, path, at) : { fieldPath }
    }
  }
}

/** The path of the host field with the plane's value of a field, for a volume; undefined when it is refused. */
export function toHostFileField(draft: PodDraft, fieldRef: Json, at: string): string | undefined {
  const { annotations, pod } = draft
  const path = textAt(fieldRef, 'fieldPath') ?? ''
  switch (path) {
    case 'metadata.name':
      return annotationPath(NAME_ANNOTATION)
    case 'metadata.namespace':
      return annotationPath(NAMESPACE_ANNOTATION)
    case 'metadata.uid':
      return annotationPath(UID_ANNOTATION)
    case 'metadata.labels':
      annotations.set(LABELS_FILE, formatMap(pod.labels))
      return annotationPath(LABELS_FILE)
    case 'metadata.annotations':
      annotations.set(ANNOTATIONS_FILE, formatMap(pod.annotations))
      return annotationPath(ANNOTATIONS_FILE)
    default:
      return entryPath(draft, path) ?? refused(draft, path, at)
  }
}

function entryPath(draft: PodDraft, path: string): string | undefined {
  const [, map, key] = ONE_OF_MAP.exec(path) ?? []
  if (map === undefined || key === undefined) {
    return undefined
  }
  const { scope } = draft.context
  if (map === 'labels') {
    return `metadata.labels['${toHostLabelKey(scope, key)}']`
  }
  return annotationPath(isCopiedAnnotation(scope, 'pods', key) ? key : saveForPod(draft, key))
}

function annotationPath(key: string): string {
  return `metadata.annotations['${key}']`
}

function refused({ refusals }: PodDraft, path: string, at: string): undefined {
  refusals.push(`${at}.fieldPath "${path}" is not a pod field that vplane can provide`)
}

/** Labels or annotations in a kubelet's file format: sorted lines of `key="value"`, with values as Go quotes them. */
export function formatMap(map: Readonly<Record<string, string>>): string {
  return Object.entries(map)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => `${key}=${goQuoted(value)}`)
    .join('\n')
}

function goQuoted(text: string): string {
  return `"${text.replaceAll(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escaped)}"`
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const hex = (digits: number) => code.toString(16).padStart(digits, '0')
  if (code < 0x20 || code === 0x7f || code === 0x22 || code === 0x5c) {
    return LETTERS[character] ?? `\\x${hex(2)}`
  }
  return code < 0x1_00_00 ? `\\u${hex(4)}` : `\\U${hex(8)}`
}
