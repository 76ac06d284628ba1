import { hintTexts } from '../../src/cli/catalog/hint-text.ts'
import { VplaneError } from '../../src/shared/errors.ts'

/** An error with its hints as the CLI shows them. */
type ShownError = { readonly hints: readonly string[] } & VplaneError

/** The VplaneError that a call throws; anything else fails the test. */
export function thrownBy(call: () => unknown): ShownError {
  try {
    call()
  } catch (error) {
    return shown(error)
  }
  throw new Error('nothing was thrown')
}

/** The VplaneError that a promise is rejected with; anything else fails the test. */
export async function rejectionOf(promise: Promise<unknown>): Promise<ShownError> {
  try {
    await promise
  } catch (error) {
    return shown(error)
  }
  throw new Error('nothing was thrown')
}

function shown(error: unknown): ShownError {
  if (error instanceof VplaneError) {
    return Object.assign(error, { hints: hintTexts(error.hints) })
  }
  throw error
}
