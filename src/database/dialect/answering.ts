import type { Hint } from '../../shared/hint.ts'
import { databaseError } from './database-error.ts'
import type { PlaneDatabase } from './plane-database.ts'

interface Answers {
  /** Whether the server has decided that something fails. */
  isAnswer: (error: unknown) => boolean
  /** What to do then. @default what `databaseError` says */
  hints?: readonly Hint[]
}

/** Does something at a server. @throws {VplaneError} as `databaseError` says. */
export async function answering<Answer>(
  facts: PlaneDatabase,
  { isAnswer, ...more }: Answers,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    throw databaseError(facts, error, { isAnswer: isAnswer(error), ...more })
  }
}

/** The same of a question; false if the table or the database is missing. */
export async function unlessMissing(
  facts: PlaneDatabase,
  { isMissing, ...answers }: Answers & { isMissing: (error: unknown) => boolean },
  ask: () => Promise<boolean>,
): Promise<boolean> {
  return await answering(facts, answers, async () => {
    try {
      return await ask()
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined
      if (isMissing(error) || isMissing(cause)) {
        return false
      }
      throw error
    }
  })
}
