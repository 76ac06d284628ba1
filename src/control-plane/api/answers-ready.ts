import type { PlaneApi } from './plane-api.ts'
import { READY_AGAIN } from './readiness.ts'

/** How long the API may take to answer, in milliseconds; a working one answers at once. */
const READY_MS = 3000

/** Whether an API is ready. The request is anonymous, so that it does not count as use of the plane. */
export async function answersReady(
  open: () => Promise<Pick<PlaneApi, 'text' | keyof AsyncDisposable>>,
  signal: AbortSignal,
): Promise<boolean> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(READY_MS)])
  try {
    await using api = await open()
    const { status } = await api.text(READY_AGAIN, { signal: limit })
    return status === 200
  } catch {
    // A connection that fails means "not ready".
    signal.throwIfAborted()
    return false
  }
}
