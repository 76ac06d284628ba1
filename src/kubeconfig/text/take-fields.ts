import type { CST } from 'yaml'
import { removeFromFlow } from './flow.ts'
import type { KubeconfigText } from './kubeconfig-text.ts'
import { type Edit, removeLines } from './splice.ts'
import { endOfEntry, entriesOf, fieldOf, startOfEntry } from './tokens.ts'
import { HEAD, LIST_KEYS, type ListItem, type ListKey, listAt } from './top-level.ts'
import type { Undo } from './undo.ts'

export interface Removal {
  isOurs: (key: ListKey, item: ListItem['data']) => boolean
  /** What to restore when a list becomes empty. */
  undo: Undo
  /** The change of `current-context`: the text behind its colon, `remove`, or nothing. */
  currentContext: { text: string } | 'remove' | undefined
}

type Range = Omit<Edit, 'text'>

/** Describes the removal of entries from the lists, and of the fields that were added for them. */
export function takeFields(document: KubeconfigText, removal: Removal): Edit[] {
  const edits: Edit[] = []
  const lines: Range[] = []
  const dropped = new Set<CST.CollectionItem>()
  for (const key of LIST_KEYS) {
    const list = listAt(document, key)
    if (list.kind === 'full') {
      const { collection, field, items } = list
      const ours = items.filter(({ data }) => removal.isOurs(key, data)).map(({ item }) => item)
      const isEmptied = ours.length === items.length
      if (isEmptied && removal.undo.added.includes(key)) {
        dropped.add(field.item)
      } else if (isEmptied) {
        const text = removal.undo.replaced[key] ?? ' []'
        const isBlock = collection.type === 'block-seq'
        const { valueStart: start, valueEnd } = field
        edits.push({ start, end: isBlock ? start : valueEnd, text })
        lines.push(...(isBlock ? ours.map(rangeOf) : []))
      } else if (collection.type === 'flow-collection') {
        edits.push(...removeFromFlow(document.text, collection, new Set(ours)))
      } else {
        lines.push(...ours.map(rangeOf))
      }
    }
  }
  const current = fieldOf(document.root, 'current-context')
  if (current !== undefined && removal.currentContext === 'remove') {
    dropped.add(current.item)
  } else if (current !== undefined && typeof removal.currentContext === 'object') {
    const { valueStart: start, valueEnd: end } = current
    edits.push({ start, end, text: removal.currentContext.text })
  }
  return [...edits, ...dropFields(document, { dropped, lines, added: removal.undo.added })]
}

/** Removes whole fields, and all of them when only those remain that vplane added to an empty file. */
function dropFields(
  { root, text }: KubeconfigText,
  options: { dropped: Set<CST.CollectionItem>; lines: Range[]; added: Undo['added'] },
): Edit[] {
  const { added, dropped, lines } = options
  const heads = Object.keys(HEAD)
    .filter((key) => added.includes(key))
    .flatMap((key) => fieldOf(root, key)?.item ?? [])
  const entries = root === undefined ? [] : entriesOf(root)
  const isEmptied = entries.every((entry) => dropped.has(entry) || heads.includes(entry))
  const all = isEmptied ? new Set([...dropped, ...heads]) : dropped
  return root?.type === 'flow-collection'
    ? [...removeFromFlow(text, root, all), ...removeLines(text, lines)]
    : removeLines(text, [...[...all].map(rangeOf), ...lines])
}

function rangeOf(entry: CST.CollectionItem): Range {
  return { start: startOfEntry(entry), end: endOfEntry(entry) }
}
