import type { CST } from 'yaml'
import type { Edit } from './splice.ts'
import { endOfEntry, entriesOf, startOfEntry } from './tokens.ts'

/** Adds entries at the end of a collection in flow style, separated as its last two entries are. */
export function appendToFlow(
  text: string,
  collection: CST.FlowCollection,
  entries: readonly string[],
): Edit {
  const last = entriesOf(collection).at(-1)
  if (last === undefined) {
    const start = collection.offset + 1
    return { start, end: start, text: entries.join(', ') }
  }
  const gap = text.slice((commaOf(last) ?? collection.offset) + 1, startOfEntry(last))
  const separator = `,${/^\s*$/.test(gap) ? gap : ' '}`
  const end = endOfEntry(last)
  return { start: end, end, text: entries.map((entry) => separator + entry).join('') }
}

/** Removes entries from a collection in flow style, each with one comma. */
export function removeFromFlow(
  text: string,
  collection: CST.FlowCollection,
  removed: ReadonlySet<CST.CollectionItem>,
): Edit[] {
  const entries = entriesOf(collection)
  const firstRemaining = entries.findIndex((entry) => !removed.has(entry))
  return entries.flatMap((entry, index) => {
    if (!removed.has(entry)) {
      return []
    }
    const start = startOfEntry(entry)
    const end = endOfEntry(entry)
    const next = entries[index + 1]
    const previous = entries[index - 1]
    if (index < firstRemaining && next !== undefined) {
      return [{ start, end: startOfEntry(next), text: '' }]
    }
    const comma = commaOf(entry)
    if (previous === undefined || comma === undefined) {
      return [{ start, end, text: '' }]
    }
    const isGap = /^\s*,\s*$/.test(text.slice(endOfEntry(previous), start))
    if (isGap) {
      return [{ start: endOfEntry(previous), end, text: '' }]
    }
    return [
      { start: comma, end: comma + 1, text: '' },
      { start, end, text: '' },
    ]
  })
}

function commaOf(entry: CST.CollectionItem): number | undefined {
  return entry.start.find(({ type }) => type === 'comma')?.offset
}
