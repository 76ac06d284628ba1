import type { PlaneApi } from './plane-api.ts'

/** How long the API may take to say whether it is ready, in milliseconds: one that works does so at once. */
const READY_MS = 3000

/**
 * Tells whether an API says that it is ready. Asked without a credential, which anybody may: to look at a plane is not to
 * use it.
 */
export async function answersReady(
  open: () => Promise<Pick<PlaneApi, 'text' | keyof AsyncDisposable>>,
  signal: AbortSignal,
): Promise<boolean> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(READY_MS)])
  try {
    await using api = await open()
    const { status } = await api.text('/readyz', { signal: limit })
    return status === 200
  } catch {
    // That it cannot be asked is a figure.
    signal.throwIfAborted()
    return false
  }
}
