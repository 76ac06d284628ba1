import type { ApiServerPod } from './api-server-pod.ts'

/** For so long a pod that failed is tried last, in milliseconds. */
const SHUNNED_MS = 5000

/** Which pod is tried next: each in turn, those that have just failed behind the others. */
export class Rotation {
  readonly #failedAt = new Map<string, number>()
  #turn: number

  /** @param first where to begin; commands that dial once spread by beginning anywhere */
  constructor(first: number = Math.floor(Math.random() * 1000)) {
    this.#turn = first
  }

  /** All pods in the order in which to try them; `now` counts milliseconds from any point. */
  next(pods: readonly ApiServerPod[], now: number): ApiServerPod[] {
    const start = pods.length === 0 ? 0 : this.#turn % pods.length
    this.#turn += 1
    const inTurn = [...pods.slice(start), ...pods.slice(0, start)]
    const isShunned = ({ uid }: ApiServerPod) =>
      now - (this.#failedAt.get(uid) ?? Number.NEGATIVE_INFINITY) < SHUNNED_MS
    return [...inTurn.filter((pod) => !isShunned(pod)), ...inTurn.filter(isShunned)]
  }

  failed({ uid }: ApiServerPod, now: number): void {
    for (const [key, at] of this.#failedAt) {
      if (now - at >= SHUNNED_MS) {
        this.#failedAt.delete(key)
      }
    }
    this.#failedAt.set(uid, now)
  }
}
