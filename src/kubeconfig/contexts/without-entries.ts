import { EXTENSION_NAME } from './context-entry.ts'
import { entriesIn } from '../text/kubeconfig-text.ts'
import { BODY_KEYS, HEAD, LIST_KEYS, type ListKey } from '../text/top-level.ts'
import { type Json, fieldAt, recordAt } from '../../shared/json-fields.ts'

/**
 * The content of a kubeconfig that a correct edit does not change: all but the entries that `isOurs` accepts, the
 * current context, vplane's records on its other contexts, and what makes no difference to a reader: lists without
 * entries, and the head that vplane writes into an empty file.
 */
export function withoutEntries(data: Json, isOurs: (key: ListKey, entry: Json) => boolean): Json {
  const rest: Json = { ...data }
  delete rest['current-context']
  for (const [key, value] of Object.entries(HEAD)) {
    if (rest[key] === value) {
      delete rest[key]
    }
  }
  for (const key of LIST_KEYS) {
    const value = rest[key]
    if (value === undefined || value === null || Array.isArray(value)) {
      rest[key] = entriesIn(data, key)
        .filter((entry) => !isOurs(key, entry))
        .map((entry) => (key === 'contexts' ? withoutRecord(entry) : entry))
    }
  }
  return rest
}

function withoutRecord(entry: Json): Json {
  const body = recordAt(entry, BODY_KEYS.contexts)
  const extensions = body?.['extensions']
  if (!Array.isArray(extensions)) {
    return entry
  }
  const others = extensions.filter((extension) => fieldAt(extension, 'name') !== EXTENSION_NAME)
  return { ...entry, [BODY_KEYS.contexts]: { ...body, extensions: others } }
}
