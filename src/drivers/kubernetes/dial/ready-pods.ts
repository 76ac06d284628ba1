import type { ApiServerPod } from './api-server-pod.ts'
import type { KnownPods } from './known-pods.ts'

/** Picks the pods that are ready; when there has been none for a while, those that run at least. */
export class ReadyPods {
  readonly #pods: KnownPods
  readonly #unreadyAfterMs: number
  #noneSince: number | undefined

  constructor(pods: KnownPods, unreadyAfterMs: number) {
    this.#pods = pods
    this.#unreadyAfterMs = unreadyAfterMs
  }

  /** Those of `pods` that can be dialled; `now` counts milliseconds from any point. */
  pick(pods: readonly ApiServerPod[], now: number): ApiServerPod[] {
    const ready = pods.filter(({ isReady }) => isReady)
    if (ready.length > 0) {
      this.#noneSince = undefined
      return ready
    }
    this.#noneSince ??= now
    const isLate = now - this.#noneSince >= this.#unreadyAfterMs
    return isLate ? pods.filter(({ isRunning }) => isRunning) : []
  }

  /** Waits until there are some, while the pods are followed; rejects with the reason of the signal when it fires. */
  async wait(signal: AbortSignal): Promise<ApiServerPod[]> {
    signal.throwIfAborted()
    using waiting = new DisposableStack()
    return await new Promise((resolve, reject) => {
      const look = (pods: ApiServerPod[]) => {
        const picked = this.pick(pods, performance.now())
        if (picked.length > 0) {
          resolve(picked)
        }
      }
      const stop = () => reject(signal.reason)
      signal.addEventListener('abort', stop)
      waiting.defer(() => signal.removeEventListener('abort', stop))
      waiting.use(this.#pods.watch(look))
      // Timers come a part of a millisecond early, and nobody would look again.
      const timer = setTimeout(() => waiting.use(this.#pods.watch(look)), this.#unreadyAfterMs + 1)
      waiting.defer(() => clearTimeout(timer))
    })
  }
}
