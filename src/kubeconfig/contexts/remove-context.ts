import { isDeepStrictEqual } from 'node:util'
import { isVplaneError } from '../../shared/errors.ts'
import { compareEdits } from '../text/compare-edits.ts'
import { type ContextExtension, isMarked } from './context-extension.ts'
import {
  contextNamesIn,
  currentContextIn,
  entriesIn,
  type KubeconfigText,
  parseOnce,
} from '../text/kubeconfig-text.ts'
import { extensionIn, unlink } from './previous-context.ts'
import { type Edit, splice } from '../text/splice.ts'
import { type Removal, takeFields } from '../text/take-fields.ts'
import { BODY_KEYS, type ListKey, uneditable } from '../text/top-level.ts'
import type { Undo } from '../text/undo.ts'
import { withoutEntries } from './without-entries.ts'
import { quote } from '../text/yaml-text.ts'
import { type Json, recordAt } from '../../shared/json-fields.ts'

export interface RemoveContextOptions {
  /** Contexts of the other files that kubectl reads together with this one. @default [] */
  knownContexts?: readonly string[]
  /** The context to return to when the record of the removed one is in another file. @default no context */
  previousContext?: string | undefined
}

/**
 * Returns the text without the context, cluster and user of a name, as far as vplane wrote them. If the context was
 * current, the previous one becomes current again, or none if it no longer exists.
 *
 * @throws {VplaneError} `INVALID_SPEC` when the text is not a kubeconfig, `FAILED` when it cannot be edited,
 *   `UNSUPPORTED` when a newer vplane wrote the context.
 */
export function removeContext(
  kubeconfig: string,
  name: string,
  { knownContexts = [], previousContext }: RemoveContextOptions = {},
): string {
  const document = parseOnce(kubeconfig)
  const { data } = document
  const isOurs = ownership(data, name)
  const own = readRecord(document, name)
  const isForeign = entriesIn(data, 'contexts').some(
    (entry) => entry['name'] === name && !isOurs('contexts', entry),
  )
  const isCurrent = currentContextIn(data) === name && !isForeign
  const known = new Set([...contextNamesIn(data), ...knownContexts])
  known.delete(name)
  const remembered = own?.previousContext ?? previousContext
  const previous = remembered !== undefined && known.has(remembered) ? remembered : undefined
  const isGone = remembered !== undefined && previous === undefined

  const unlinking = own === undefined ? [] : unlink(document, name, own)
  // After another program has rewritten the file, the recorded undo may not fit any more.
  for (const undo of [own?.undo ?? NOTHING, NOTHING]) {
    const currentContext = isCurrent ? restoredCurrent(undo, { previous, isGone }) : undefined
    const edits = [...takeFields(document, { isOurs, undo, currentContext }), ...unlinking]
    if (isRight(document, edits, { isOurs, isCurrent, previous, known })) {
      return splice(document.text, edits)
    }
  }
  throw uneditable(`the entries of "${name}" cannot be told from others`)
}

const NOTHING: Undo = { added: [], replaced: {} }
const NONE = () => false

/**
 * Decides whether vplane wrote an entry of a name; the mark on a context covers its cluster and user as well. A context
 * that was renamed has those of its former name, if they are marked and no other context has them.
 */
function ownership(data: Json, name: string): Removal['isOurs'] {
  const isNamed = (entry: Json) => entry['name'] === name
  const isMarkedIn = (key: ListKey, entry: Json) => isMarked(entry[BODY_KEYS[key]])
  const contexts = entriesIn(data, 'contexts')
  const own = contexts.find((entry) => isNamed(entry) && isMarkedIn('contexts', entry))
  const refersTo = (context: Json | undefined, key: 'clusters' | 'users', entry: Json) =>
    recordAt(context, 'context')?.[BODY_KEYS[key]] === entry['name']
  return (key, entry) => {
    if (key === 'contexts' || own === undefined || isNamed(entry)) {
      return isNamed(entry) && (isMarkedIn(key, entry) || (key !== 'contexts' && own !== undefined))
    }
    const isShared = contexts.some((context) => context !== own && refersTo(context, key, entry))
    return isMarkedIn(key, entry) && refersTo(own, key, entry) && !isShared
  }
}

function restoredCurrent(
  { added, replaced }: Undo,
  { previous, isGone }: { previous: string | undefined; isGone: boolean },
): Removal['currentContext'] {
  if (added.includes('current-context')) {
    return 'remove'
  }
  const text = replaced['current-context']
  return { text: text === undefined || isGone ? ` ${quote(previous ?? '')}` : text }
}

/** Reads the record of a context; a damaged record does not prevent the removal. */
function readRecord(document: KubeconfigText, name: string): ContextExtension | undefined {
  try {
    return extensionIn(document, name)
  } catch (error) {
    if (isVplaneError(error, 'FAILED')) {
      return undefined
    }
    throw error
  }
}

interface Expected extends Pick<Removal, 'isOurs'> {
  isCurrent: boolean
  previous: string | undefined
  known: ReadonlySet<string>
}

/** Whether edits leave the kubeconfig's content as it is, apart from vplane's entries and the current context. */
function isRight(
  document: KubeconfigText,
  edits: readonly Edit[],
  { isOurs, isCurrent, known, previous }: Expected,
): boolean {
  const { after, before } = compareEdits(document, edits)
  if (after === undefined) {
    return false
  }
  const current = currentContextIn(after)
  const isCurrentRight = !isCurrent
    ? isDeepStrictEqual(after['current-context'], before['current-context'])
    : previous === undefined
      ? current === undefined || !known.has(current)
      : current === previous
  const expected = withoutEntries(before, isOurs)
  return isCurrentRight && isDeepStrictEqual(withoutEntries(after, NONE), expected)
}
