import { type ContextOrigin, EXTENSION_FORMAT, EXTENSION_NAME } from './context-entry.ts'
import type { Undo } from '../text/undo.ts'
import type { Value } from '../text/yaml-text.ts'

/** What vplane records on a context that it writes. */
export interface ContextExtension extends ContextOrigin {
  formatVersion: number
  /** The context that was current before. */
  previousContext?: string
  undo: Undo
}

/** The mark on the cluster and the user of a context. */
export const MARK: Value = [
  { name: EXTENSION_NAME, extension: { formatVersion: EXTENSION_FORMAT } },
]

/** An extension as the list of extensions that goes into a kubeconfig. */
export function toExtensions(extension: ContextExtension): Value {
  return [{ name: EXTENSION_NAME, extension: toExtensionValue(extension) }]
}

/** An extension as it is written; nothing to undo is left out. */
export function toExtensionValue({ undo, ...extension }: ContextExtension): Value {
  const hasAdded = undo.added.length > 0
  const hasReplaced = Object.keys(undo.replaced).length > 0
  return {
    ...extension,
    ...((hasAdded || hasReplaced) && {
      undo: {
        ...(hasAdded && { added: undo.added }),
        ...(hasReplaced && { replaced: undo.replaced }),
      },
    }),
  }
}
