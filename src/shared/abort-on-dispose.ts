/** Returns a signal that fires when it is disposed: what still uses it at the end of a block stops. */
export function abortOnDispose(): Disposable & { signal: AbortSignal } {
  const controller = new AbortController()
  return { signal: controller.signal, [Symbol.dispose]: () => controller.abort() }
}
