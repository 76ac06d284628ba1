import { VplaneError } from '../../src/shared/errors.ts'

/** The VplaneError that a call throws; anything else fails the test. */
export function thrownBy(call: () => unknown): VplaneError {
  try {
    call()
  } catch (error) {
    if (error instanceof VplaneError) {
      return error
    }
    throw error
  }
  throw new Error('nothing was thrown')
}

/** The VplaneError that a promise is rejected with; anything else fails the test. */
export async function rejectionOf(promise: Promise<unknown>): Promise<VplaneError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof VplaneError) {
      return error
    }
    throw error
  }
  throw new Error('nothing was thrown')
}
