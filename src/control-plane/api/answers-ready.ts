import type { PlaneApi } from './plane-api.ts'
import { readyPath } from './readiness.ts'

/** How long the API may take to answer, in milliseconds; a working one answers at once. */
const READY_MS = 3000

/**
 * Whether an API is ready: with its default objects, unless it was ready before. The request is anonymous, so that it does not
 * count as use of the plane.
 */
export async function answersReady(
  open: () => Promise<Pick<PlaneApi, 'text' | keyof AsyncDisposable>>,
  signal: AbortSignal,
  { isRestart }: { isRestart: boolean } = { isRestart: true },
): Promise<boolean> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(READY_MS)])
  try {
    await using api = await open()
    const { status } = await api.text(readyPath({ isRestart }), { signal: limit })
    return status === 200
  } catch {
    // A connection that fails means "not ready".
    signal.throwIfAborted()
    return false
  }
}
