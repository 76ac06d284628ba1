import { fieldAt } from '../../shared/json-fields.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { hasFields, hasOptional } from '../../shared/stored-format.ts'
import type { RotatedKeys } from '../rotation/rotation.ts'
import { leftBy, type OperationKind, type Unfinished } from './unfinished.ts'

/** An operation that works on a plane, or was interrupted, as it is stored with the plane. */
export interface JournalEntry {
  operation: OperationKind
  /** Of a rotation of keys. */
  keys?: RotatedKeys
  /** When it began, or was continued. @default vplane 0.1.0 wrote it */
  since?: string
  /** The step that was about to start, in words: `applying Secrets`. */
  step: string
  at: string
  holder: string
  /** The interrupted operation before it that it does not finish. */
  parent?: JournalEntry
}

/** A plane as the next step finds it. */
export interface JournaledPlane {
  journal: JournalEntry | undefined
  unfinished: readonly Unfinished[]
}

/** Returns the entry of the next step of an operation. */
export function nextEntry(
  { journal: former, unfinished }: JournaledPlane,
  next: Omit<JournalEntry, 'keys' | 'since' | 'parent'> & { keys?: RotatedKeys | undefined },
): JournalEntry {
  const isOwn = former?.holder === next.holder && former.operation === next.operation
  const since = isOwn ? (former.since ?? former.at) : next.at
  const parent = interruptedBefore(next.operation, { journal: former, unfinished })
  return omitUndefined({ ...next, since, parent })
}

/** Returns the entry of an interrupted operation that this one does not continue. */
export function interruptedBefore(
  operation: OperationKind,
  { journal, unfinished }: JournaledPlane,
): JournalEntry | undefined {
  const continued = leftBy(operation, unfinished)
  const isOther = (entry: JournalEntry | undefined) => {
    const left = entry && leftBy(entry.operation, unfinished)
    return left !== undefined && left !== continued
  }
  const found = [journal, journal?.parent].find(isOther)
  return found && omitUndefined({ ...found, parent: undefined })
}

/** Whether a stored value is a journal entry. */
export function isJournalEntry(value: unknown): value is JournalEntry {
  const parent = fieldAt(value, 'parent')
  return (
    hasFields(value, { operation: 'string', step: 'string', at: 'string', holder: 'string' }) &&
    hasOptional(value, 'string', ['keys', 'since']) &&
    (parent === undefined || isJournalEntry(parent))
  )
}
