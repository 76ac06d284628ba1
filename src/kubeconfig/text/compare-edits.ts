import { entriesIn, type KubeconfigText, parseKubeconfig } from './kubeconfig-text.ts'
import { type Edit, splice, startOfLine } from './splice.ts'
import { startOfEntry } from './tokens.ts'
import { LIST_KEYS, type ListKey, listAt } from './top-level.ts'
import type { Json } from '../../shared/json-fields.ts'

/**
 * Parses a kubeconfig before and after edits; `after` is undefined if the edited text is no longer a kubeconfig. Both
 * leave out the entries of the lists that no edit touches, so that hundreds of them need no second parse.
 */
export function compareEdits(
  document: KubeconfigText,
  edits: readonly Edit[],
): { before: Json; after: Json | undefined } {
  const { data: before, removals } = withoutUntouched(document, edits)
  try {
    const { data: after } = parseKubeconfig(splice(document.text, [...edits, ...removals]))
    return { before, after }
  } catch {
    // The caller reports why it refuses the edit.
    return { before, after: undefined }
  }
}

function withoutUntouched(document: KubeconfigText, edits: readonly Edit[]) {
  const data = { ...document.data }
  // An alias may need an anchor in an entry that is left out.
  if (/[&*]/.test(document.text)) {
    return { removals: [], data }
  }
  const removals = LIST_KEYS.flatMap((key) => {
    const found = untouchedEntries(document, key, edits)
    if (found.size > 0) {
      data[key] = entriesIn(data, key).filter((_, index) => !found.has(index))
    }
    return [...found.values()]
  })
  return { removals, data }
}

/** The removals of a list's untouched entries by their index, without its first and last entry. */
function untouchedEntries(
  document: KubeconfigText,
  key: ListKey,
  edits: readonly Edit[],
): Map<number, Edit> {
  const list = listAt(document, key)
  if (list.kind !== 'full' || list.collection.type !== 'block-seq') {
    return new Map()
  }
  const starts = list.items.map(({ item }) => startOfLine(document.text, startOfEntry(item)))
  return new Map(
    starts.slice(1, -1).flatMap((start, index) => {
      const end = starts[index + 2] ?? start
      const isTouched = edits.some((edit) => edit.start <= end && edit.end >= start)
      return isTouched ? [] : [[index + 1, { start, end, text: '' }]]
    }),
  )
}
