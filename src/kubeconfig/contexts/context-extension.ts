import { VplaneError } from '../../shared/errors.ts'
import { type ContextOrigin, EXTENSION_FORMAT, EXTENSION_NAME } from './context-entry.ts'
import { shellWord } from '../../shared/text/shell-word.ts'
import type { Undo } from '../text/undo.ts'
import type { Value } from '../text/yaml-text.ts'
import { type Json, recordAt, recordsAt, textsAt, textMapAt } from '../../shared/json-fields.ts'

/** What vplane records on a context that it writes. */
export interface ContextExtension extends ContextOrigin {
  formatVersion: number
  previousContext?: string | undefined
  undo: Undo
}

/** The mark on the cluster and the user of a context. */
export const MARK: Value = [
  { name: EXTENSION_NAME, extension: { formatVersion: EXTENSION_FORMAT } },
]

/** An extension as the kubeconfig has it, without an empty `undo`. */
export function toExtensionValue({ undo, ...extension }: ContextExtension): Value {
  const added = undo.added.length > 0 ? undo.added : undefined
  const replaced = Object.keys(undo.replaced).length > 0 ? undo.replaced : undefined
  return { ...extension, undo: added || replaced ? { added, replaced } : undefined }
}

/** Whether vplane wrote an entry: `body` is its `cluster`, `context` or `user`. */
export function isMarked(body: unknown): boolean {
  return markOf(body) !== undefined
}

function markOf(body: unknown): Json | undefined {
  const found = recordsAt(body, 'extensions').find(({ name }) => name === EXTENSION_NAME)
  return found && (recordAt(found, 'extension') ?? {})
}

/**
 * Reads what vplane recorded on a context; undefined when vplane did not write the context.
 * @throws {VplaneError} `UNSUPPORTED` with the version when a newer vplane wrote it; `FAILED` when it is damaged.
 */
export function parseExtension(name: string, body: unknown): ContextExtension | undefined {
  const mark = markOf(body)
  if (mark === undefined) {
    return undefined
  }
  const { formatVersion, writtenBy, plane, driver, namespace, hostContext, previousContext } = mark
  if (typeof formatVersion === 'number' && formatVersion > EXTENSION_FORMAT) {
    throw newer(name, writtenBy)
  }
  const isComplete = typeof writtenBy === 'string' && typeof plane === 'string'
  if (!Number.isInteger(formatVersion) || !isComplete || !isDriver(driver)) {
    throw new VplaneError('FAILED', `the record of vplane on the context "${name}" is damaged`, {
      hints: [`kubectl config delete-context ${shellWord(name)}`],
    })
  }
  return {
    formatVersion: EXTENSION_FORMAT,
    writtenBy,
    plane,
    driver,
    ...(typeof namespace === 'string' && { namespace }),
    ...(typeof hostContext === 'string' && { hostContext }),
    ...(typeof previousContext === 'string' && { previousContext }),
    undo: { added: textsAt(mark, 'undo', 'added'), replaced: textMapAt(mark, 'undo', 'replaced') },
  }
}

function isDriver(value: unknown): value is ContextOrigin['driver'] {
  return value === 'kubernetes' || value === 'local'
}

function newer(name: string, writtenBy: unknown): VplaneError {
  // The version comes from a file and becomes part of a command that people paste.
  const isVersion = typeof writtenBy === 'string' && /^\d+\.\d+\.\d+(-[\w.]+)?$/.test(writtenBy)
  const version = isVersion ? writtenBy : 'latest'
  const message = `the context "${name}" was written by a newer vplane${isVersion ? ` (${version})` : ''}`
  const hints = [`npm install --global vplane@${version}`]
  return new VplaneError('UNSUPPORTED', message, { hints })
}
