import { entriesIn, type KubeconfigText, parseKubeconfig } from './kubeconfig-text.ts'
import { startOfLine } from './lines.ts'
import { type Edit, splice } from './splice.ts'
import { startOfEntry } from './tokens.ts'
import { LIST_KEYS, type ListKey, listAt } from './top-level.ts'
import type { Json } from '../../shared/json-fields.ts'

/** What a kubeconfig says before and after edits. */
export interface Comparison {
  before: Json
  after: Json
}

/**
 * Parses a kubeconfig with edits made; undefined if it is none any more. Entries of the lists that no edit touches are
 * left out of both sides, so that a file with hundreds of them costs no second parse of them.
 */
export function compareEdits(
  document: KubeconfigText,
  edits: readonly Edit[],
): Comparison | undefined {
  const left = leftOut(document, edits)
  try {
    const { data: after } = parseKubeconfig(splice(document.text, [...edits, ...left.edits]))
    return { before: left.data, after }
  } catch {
    // The caller tells why the edit is refused.
    return undefined
  }
}

function leftOut(document: KubeconfigText, edits: readonly Edit[]): { edits: Edit[]; data: Json } {
  const data = { ...document.data }
  // An alias may need an anchor in an entry that is left out.
  if (/[&*]/.test(document.text)) {
    return { edits: [], data }
  }
  const removals = LIST_KEYS.flatMap((key) => {
    const found = untouchedEntries(document, key, edits)
    if (found.size > 0) {
      data[key] = entriesIn(data, key).filter((_, index) => !found.has(index))
    }
    return [...found.values()]
  })
  return { edits: removals, data }
}

/** The entries of a list with the lines that they take, except its first and last. */
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
