import { isDeepStrictEqual } from 'node:util'
import { VplaneError } from '../../shared/errors.ts'
import { compareEdits } from '../text/compare-edits.ts'
import { type ContextEntry, MAX_NAME_LENGTH } from './context-entry.ts'
import { isMarked } from './context-extension.ts'
import { toItems } from './entry-items.ts'
import {
  contextNamesIn,
  currentContextIn,
  entriesIn,
  entryIn,
  type KubeconfigText,
  parseKubeconfig,
} from '../text/kubeconfig-text.ts'
import { extensionIn, otherExtensions, unlink } from './previous-context.ts'
import { addFields, type Change, putItem, putScalar } from '../text/put-fields.ts'
import { type Edit, splice } from '../text/splice.ts'
import { BODY_KEYS, HEAD, LIST_KEYS, type ListKey, uneditable } from '../text/top-level.ts'
import { joinUndo, onlyCurrent, type Undo, undoOf, withoutCurrent } from '../text/undo.ts'
import { withoutEntries } from './without-entries.ts'
import type { Value } from '../text/yaml-text.ts'
import { type Json, textAt } from '../../shared/json-fields.ts'

export interface SetContextOptions {
  /** Whether the context becomes the current one. @default true */
  makeCurrent?: boolean
  /** Contexts of the other files that kubectl reads together with this one. @default [] */
  knownContexts?: readonly string[]
  /** Whether the file does not exist yet, so that the removal of the last context removes it. @default false */
  isNewFile?: boolean
}

/**
 * Returns the text with the context, cluster and user of `entry`, which replace those that vplane wrote before; all
 * else stays byte for byte, and `removeContext` restores the identical text.
 * @throws {VplaneError} `INVALID_SPEC` when the text is not a kubeconfig, `FAILED` when it cannot be edited, `CONFLICT`
 * when a context, cluster or user that vplane did not write has the name, `UNSUPPORTED` when a newer vplane wrote the
 * context, `USAGE` when the name is empty or too long.
 */
export function setContext(
  kubeconfig: string | KubeconfigText,
  entry: ContextEntry,
  { isNewFile = false, makeCurrent = true, knownContexts = [] }: SetContextOptions = {},
): string {
  const document = typeof kubeconfig === 'string' ? parseKubeconfig(kubeconfig) : kubeconfig
  const { name } = entry
  if (name === '' || name.length > MAX_NAME_LENGTH) {
    throw new VplaneError('USAGE', 'the name of a context has between 1 and 253 characters')
  }
  refuseForeign(document, name)

  const own = extensionIn(document, name)
  const isSwitch = makeCurrent && (own === undefined || currentContextIn(document.data) !== name)
  const items = toItems(entry, {
    previousContext: isSwitch
      ? previousOf(document, { name, knownContexts })
      : own?.previousContext,
    undo: undoFor(document, { name, own: own?.undo, isSwitch, isNewFile }),
    // That of `kubectl config set-context --current --namespace`: connecting again does not remove it.
    defaultNamespace: textAt(entryIn(document.data, 'contexts', name), 'context', 'namespace'),
  })

  const edits = [
    ...putAll(document, { name, items, isSwitch }),
    ...(isSwitch ? unlink(document, name, own) : []),
  ]
  check(document, edits, { name, items, isSwitch })
  return splice(document.text, edits)
}

interface Plan {
  name: string
  items: Record<ListKey, Value>
  isSwitch: boolean
}

function putAll(document: KubeconfigText, { name, items, isSwitch }: Plan): Edit[] {
  const changes: Change[] = LIST_KEYS.map((key) => {
    const index = entriesIn(document.data, key).findIndex((entry) => entry['name'] === name)
    return putItem(document, key, { value: items[key], index: index === -1 ? undefined : index })
  })
  if (isSwitch) {
    changes.push(putScalar(document, 'current-context', name))
  }
  const missing = changes.flatMap((change) => change.missing)
  const head: typeof missing = undoOf(document).added.includes('kind') ? Object.entries(HEAD) : []
  const fields = [...head, ...missing].sort(([a], [b]) => (a < b ? -1 : 1))
  return [...changes.flatMap((change) => change.edits), ...addFields(document, fields)]
}

function previousOf(
  document: KubeconfigText,
  { name, knownContexts }: { name: string; knownContexts: readonly string[] },
): string | undefined {
  const current = currentContextIn(document.data)
  const known = [...contextNamesIn(document.data), ...knownContexts]
  return current !== name && known.some((one) => one === current) ? current : undefined
}

/** Every context of vplane records what the first of them changed, because any of them may be removed last. */
function undoFor(
  document: KubeconfigText,
  {
    name,
    own,
    isSwitch,
    isNewFile,
  }: { name: string; own: Undo | undefined; isSwitch: boolean; isNewFile: boolean },
): Undo {
  const now = undoOf(document, { isNewFile })
  const inherited = otherExtensions(document, name).map(({ extension }) => extension.undo)
  const lists = [...inherited, ...(own ? [own] : []), now].map((undo) => withoutCurrent(undo))
  const all = lists.reduce((earlier, later) => joinUndo(earlier, later))
  return joinUndo(all, onlyCurrent(isSwitch ? now : own))
}

function refuseForeign({ data }: KubeconfigText, name: string): void {
  const bodiesOf = (key: ListKey) =>
    entriesIn(data, key)
      .filter((entry) => entry['name'] === name)
      .map((entry) => entry[BODY_KEYS[key]])
  const isOwnContext = bodiesOf('contexts').some((body) => isMarked(body))
  for (const key of LIST_KEYS) {
    const isOwn = (body: unknown) => isMarked(body) || (key !== 'contexts' && isOwnContext)
    if (!bodiesOf(key).every((body) => isOwn(body))) {
      const hints = [`rename or delete it, see: kubectl config get-${key}`]
      const message = `it has a ${BODY_KEYS[key]} "${name}" that vplane did not write`
      throw new VplaneError('CONFLICT', message, { hints })
    }
  }
}

/** Refuses edits that would change more of the kubeconfig's content than the planned entries. */
function check(document: KubeconfigText, edits: readonly Edit[], plan: Plan): void {
  const { name, items, isSwitch } = plan
  const { after, before } = compareEdits(document, edits)
  const isOurs = (_: ListKey, entry: Json) => entry['name'] === name
  const isRight =
    after !== undefined &&
    isDeepStrictEqual(withoutEntries(before, isOurs), withoutEntries(after, isOurs)) &&
    isDeepStrictEqual(after['current-context'], isSwitch ? name : before['current-context']) &&
    LIST_KEYS.every((key) => {
      const written = entriesIn(after, key).filter((entry) => isOurs(key, entry))
      return isDeepStrictEqual(written, [JSON.parse(JSON.stringify(items[key]))])
    })
  if (!isRight) {
    throw uneditable('it is written in a way that an edit would change other entries')
  }
}
