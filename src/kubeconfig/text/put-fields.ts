import { appendToFlow } from './flow.ts'
import type { KubeconfigText } from './kubeconfig-text.ts'
import { columnOf, type Edit, insertLinesBelow, isFirstOnLine } from './splice.ts'
import { type Field, endOfEntry, entriesOf, fieldOf, startOfEntry } from './tokens.ts'
import { LIST_KEYS, type ListKey, listAt, uneditable } from './top-level.ts'
import { formatBlock, formatFlow, type Value } from './yaml-text.ts'

export interface Change {
  edits: Edit[]
  /** Missing fields, which `addFields` adds at the top all at once. */
  missing: Array<[key: string, value: Value]>
}

/** Adds an entry to one of the lists, or replaces the entry at `index`. */
export function putItem(
  document: KubeconfigText,
  key: ListKey,
  { value, index }: { value: Value; index: number | undefined },
): Change {
  const list = listAt(document, key)
  if (list.kind === 'missing') {
    return { edits: [], missing: [[key, [value]]] }
  }
  if (list.kind === 'empty') {
    return { edits: fillList(document, list.field, value), missing: [] }
  }
  const { collection, items } = list
  const old = index === undefined ? undefined : items[index]?.item
  if (collection.type === 'flow-collection') {
    const edit =
      old === undefined
        ? appendToFlow(document.text, collection, [formatFlow(value)])
        : { start: startOfEntry(old), end: endOfEntry(old), text: formatFlow(value) }
    return { edits: [edit], missing: [] }
  }
  const entries = entriesOf(collection)
  const last = entries.at(-1)
  const dash = startOfEntry(old ?? last ?? { start: [] })
  if (last === undefined || !isFirstOnLine(document.text, dash)) {
    throw uneditable(`the entries of "${key}" do not start on lines of their own`)
  }
  const lines = indented(formatBlock([value]), columnOf(document.text, dash))
  const edit =
    old === undefined
      ? insertLinesBelow(document, endOfEntry(last), lines)
      : { start: dash, end: endOfEntry(old), text: lines.join(document.newline).trimStart() }
  return { edits: [edit], missing: [] }
}

/** Replaces the value of a field at the top, or reports the field as missing. */
export function putScalar(document: KubeconfigText, key: string, value: string): Change {
  const field = fieldOf(document.root, key)
  if (field === undefined) {
    return { edits: [], missing: [[key, value]] }
  }
  const { valueStart: start, valueEnd: end } = field
  return { edits: [{ start, end, text: ` ${formatFlow(value)}` }], missing: [] }
}

/** Adds fields at the end of the mapping at the top. */
export function addFields(
  document: KubeconfigText,
  fields: ReadonlyArray<[key: string, value: Value]>,
): Edit[] {
  if (fields.length === 0) {
    return []
  }
  const { root, text } = document
  if (root?.type === 'flow-collection') {
    const entries = fields.map(([key, value]) => `${formatFlow(key)}: ${formatFlow(value)}`)
    return [appendToFlow(text, root, entries)]
  }
  const lines = formatBlock(Object.fromEntries(fields))
  const last = root === undefined ? undefined : entriesOf(root).at(-1)
  if (last === undefined) {
    return [startDocument(document, lines)]
  }
  const start = startOfEntry(last)
  if (!isFirstOnLine(text, start)) {
    throw uneditable('its keys do not start on lines of their own')
  }
  return [insertLinesBelow(document, endOfEntry(last), indented(lines, columnOf(text, start)))]
}

function fillList(document: KubeconfigText, field: Field, value: Value): Edit[] {
  const { valueStart: start, valueEnd: end } = field
  if (document.root?.type === 'flow-collection') {
    return [{ start, end, text: ` ${formatFlow([value])}` }]
  }
  const column = columnOf(document.text, startOfEntry(field.item)) + dashIndentOf(document)
  const lines = indented(formatBlock([value]), column)
  return [{ start, end, text: '' }, insertLinesBelow(document, end, lines)]
}

/** By how many columns the file's other lists are indented below their keys. */
function dashIndentOf({ root, text }: KubeconfigText): number {
  const field = LIST_KEYS.map((key) => fieldOf(root, key)).find(
    (candidate) => candidate?.value?.type === 'block-seq',
  )
  return field?.value === undefined || !('offset' in field.value)
    ? 0
    : columnOf(text, field.value.offset) - columnOf(text, startOfEntry(field.item))
}

/** Adds the first lines to a text without any value: below its comments, before the mark of the document's end. */
function startDocument(document: KubeconfigText, lines: readonly string[]): Edit {
  const { newline, text } = document
  const end = /^\.\.\.(?=\s|$)/m.exec(text)?.index
  const start = text.startsWith('\uFEFF') ? 1 : 0
  const content = text.trimEnd().length
  if (end === undefined && content > start) {
    return insertLinesBelow(document, content, lines)
  }
  const offset = end ?? start
  return { start: offset, end: offset, text: lines.map((line) => line + newline).join('') }
}

function indented(lines: readonly string[], column: number): string[] {
  return lines.map((line) => ' '.repeat(column) + line)
}
