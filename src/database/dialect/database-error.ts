import { STORES } from '../../control-plane/store/store.ts'
import type { Hint } from '../../shared/hint.ts'
import { textAt } from '../../shared/json-fields.ts'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { type PlaneDatabase, serverName } from './plane-database.ts'

/** How much of what a server says is shown. It may send more than a condition can have. */
const MOST_CHARACTERS = 500

/** The error of a server that does not do what it is asked for. */
export function databaseError(
  facts: PlaneDatabase,
  error: unknown,
  { hints, isAnswer }: { isAnswer: boolean; hints?: readonly Hint[] },
): VplaneError {
  if (error instanceof VplaneError) {
    return error
  }
  const place = `${STORES[facts.kind].title} at ${serverName(facts)}`
  const text = messageOf(error) || (textAt(error, 'code') ?? 'it does not answer')
  const reason = text.replaceAll(/\s+/g, ' ').slice(0, MOST_CHARACTERS)
  return isAnswer
    ? new VplaneError('FAILED', `${place} refuses: ${reason}`, { cause: error, hints: hints ?? [] })
    : new VplaneError('UNREACHABLE', `cannot connect to ${place}: ${reason}`, {
        cause: error,
        hints: hints ?? [
          `check that the server runs, and that its certificate names "${facts.host}"`,
        ],
      })
}

/** The error of a database that exists and that vplane has not made for this plane. */
export function foreignDatabase({ database, ...facts }: PlaneDatabase): VplaneError {
  const message = `the database "${database}" exists at ${serverName({ ...facts })}, and is not of this plane`
  return new VplaneError('CONFLICT', message, {
    hints: ['name another one in the spec, or leave "database" out'],
  })
}
