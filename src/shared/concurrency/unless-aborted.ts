/** Returns a result that several callers share, or that takes no signal; rejects when the signal of this caller fires. */
export async function unlessAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop)
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
