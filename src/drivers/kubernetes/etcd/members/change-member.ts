import { isTransient } from '../../../../etcd/members/is-transient.ts'
import type { VplaneError } from '../../../../shared/errors.ts'
import { waitFor } from '../../../../shared/wait.ts'
import { CHANGE_TIMEOUT_MS, type ChangeContext } from '../../objects/change-context.ts'

const RETRY_MS = 200

type MemberContext = Pick<ChangeContext, 'operation' | 'place'>

/** Retries what etcd refuses while its members connect: "unhealthy cluster", a learner that is not in sync. */
export async function retryTransient<T>(
  { operation, place }: MemberContext,
  member: string,
  act: () => Promise<T>,
): Promise<T> {
  const { signal, timeoutMs = CHANGE_TIMEOUT_MS, ui } = operation
  const { result } = await waitFor(
    () =>
      unlessTransient(
        async () => ({ result: await act() }),
        (error) => ui.progress(error.message),
      ),
    {
      what: `etcd of "${place.name}" to agree about ${member}`,
      timeoutMs,
      intervalMs: RETRY_MS,
      signal,
      hints: ['the same command continues', { action: 'repair', plane: place }],
    },
  )
  return result
}

/** Returns the result; undefined when the next attempt may succeed. */
async function unlessTransient<T>(
  act: () => Promise<T>,
  onTransient: (error: VplaneError) => void = () => {},
): Promise<T | undefined> {
  try {
    return await act()
  } catch (error) {
    if (!isTransient(error)) {
      throw error
    }
    onTransient(error)
    return undefined
  }
}
