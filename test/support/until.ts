import { waitFor } from '../../src/shared/wait.ts'

/** Waits two minutes for a condition; a look at it that fails is one of many. */
export async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  let failure: unknown
  const look = async () => {
    try {
      return await condition()
    } catch (error) {
      failure = error
      return false
    }
  }
  try {
    await waitFor(look, { what, timeoutMs: 120_000, intervalMs: 250 })
  } catch (error) {
    throw new Error(`${String(error)}; the last failed look: ${String(failure)}`, { cause: error })
  }
}
