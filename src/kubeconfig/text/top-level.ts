import type { CST } from 'yaml'
import { VplaneError } from '../../shared/errors.ts'
import type { Hint } from '../../shared/hint.ts'
import { entriesIn, type KubeconfigText } from './kubeconfig-text.ts'
import { type Field, entriesOf, fieldOf, isCollection } from './tokens.ts'
import type { Json } from '../../shared/json-fields.ts'

/** The lists at the top of a kubeconfig, and the key of an entry's content in each of them. */
export const BODY_KEYS = { clusters: 'cluster', contexts: 'context', users: 'user' } as const

export type ListKey = keyof typeof BODY_KEYS

/** The first fields of every kubeconfig, which vplane writes into an empty file. */
export const HEAD = { apiVersion: 'v1', kind: 'Config' } as const

export const LIST_KEYS = ['clusters', 'contexts', 'users'] as const satisfies readonly ListKey[]

type List =
  | { kind: 'missing' }
  | { kind: 'empty'; field: Field }
  | {
      kind: 'full'
      field: Field
      collection: CST.BlockSequence | CST.FlowCollection
      items: ListItem[]
    }

export interface ListItem {
  item: CST.CollectionItem
  data: Json
}

/** @throws {VplaneError} `FAILED` when it is not a list, or cannot be edited as it is written. */
export function listAt(document: KubeconfigText, key: ListKey): List {
  const { data, root } = document
  const field = fieldOf(root, key)
  const value = data[key]
  if (field === undefined) {
    if (value === undefined) {
      return { kind: 'missing' }
    }
    throw uneditable(`"${key}" comes from another place in the file`)
  }
  if (field.value?.type === 'alias') {
    throw uneditable(`"${key}" is an alias`)
  }
  if (value === null || (Array.isArray(value) && value.length === 0)) {
    return { kind: 'empty', field }
  }
  const collection = field.value
  if (!Array.isArray(value) || !isCollection(collection) || collection.type === 'block-map') {
    throw uneditable(`"${key}" is not a list`)
  }
  const bodies = entriesIn(data, key)
  const items = entriesOf(collection).flatMap((item, index) => {
    const body = bodies[index]
    return body === undefined ? [] : [{ item, data: body }]
  })
  if (items.length !== value.length) {
    throw uneditable(`the entries of "${key}" cannot be told apart`)
  }
  return { kind: 'full', field, collection, items }
}

/** The error for a valid text that vplane cannot edit without changing more than its own entries. */
export function uneditable(reason: string): VplaneError {
  return new VplaneError('FAILED', `it cannot be edited: ${reason}`, { hints: OTHER_FILE_HINTS })
}

/** How to connect without changing this kubeconfig. */
export const OTHER_FILE_HINTS: readonly Hint[] = [
  'use another file: export KUBECONFIG=FILE',
  { purpose: 'for a separate kubeconfig', action: 'print-kubeconfig', plane: { name: 'NAME' } },
]
