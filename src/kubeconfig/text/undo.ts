import type { KubeconfigText } from './kubeconfig-text.ts'
import { entriesOf, fieldOf } from './tokens.ts'
import { HEAD, LIST_KEYS, listAt } from './top-level.ts'

/** What connect changes besides adding entries, so that disconnect can restore the identical text. */
export interface Undo {
  /** Keys that were added at the top, and `NEW_FILE` if the file did not exist. */
  added: readonly string[]
  /** The old text behind the colon of keys whose value was replaced, by key. */
  replaced: Readonly<Record<string, string>>
}

/** Stands for the file itself; no key of a kubeconfig has this name. */
export const NEW_FILE = 'file'

const CURRENT = 'current-context'

/** What the removal of a context that is set in this text has to restore. */
export function undoOf(document: KubeconfigText, { isNewFile = false } = {}): Undo {
  const { root, text } = document
  const isEmpty = root === undefined || entriesOf(root).length === 0
  const added: string[] = isEmpty ? Object.keys(HEAD) : []
  if (isNewFile) {
    added.push(NEW_FILE)
  }
  const replaced: Record<string, string> = {}
  for (const key of LIST_KEYS) {
    const list = listAt(document, key)
    if (list.kind === 'missing') {
      added.push(key)
    } else if (list.kind === 'empty') {
      replaced[key] = text.slice(list.field.valueStart, list.field.valueEnd)
    }
  }
  const current = fieldOf(root, CURRENT)
  if (current === undefined) {
    added.push(CURRENT)
  } else {
    replaced[CURRENT] = text.slice(current.valueStart, current.valueEnd)
  }
  return { added, replaced }
}

/** The part of an undo that restores `current-context`. */
export function onlyCurrent(undo: Undo | undefined): Undo {
  return pick(undo, (key) => key === CURRENT)
}

/** The part of an undo that does not concern `current-context`. */
export function withoutCurrent(undo: Undo | undefined): Undo {
  return pick(undo, (key) => key !== CURRENT)
}

/** Both undos in one; for a key in both of them, the later one applies. */
export function joinUndo(earlier: Undo, later: Undo): Undo {
  const keys = new Set([...later.added, ...Object.keys(later.replaced)])
  const rest = pick(earlier, (key) => !keys.has(key))
  return {
    added: [...rest.added, ...later.added],
    replaced: { ...rest.replaced, ...later.replaced },
  }
}

function pick(undo: Undo | undefined, isWanted: (key: string) => boolean): Undo {
  return {
    added: (undo?.added ?? []).filter((key) => isWanted(key)),
    replaced: Object.fromEntries(
      Object.entries(undo?.replaced ?? {}).filter(([key]) => isWanted(key)),
    ),
  }
}
