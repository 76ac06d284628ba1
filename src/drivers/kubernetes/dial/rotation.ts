import type { ApiServerPod } from './known-pods.ts'

/** How long a pod is tried last after a failure, in milliseconds. */
const AVOIDED_MS = 5000

/** The order of attempts: each pod in turn, those with a recent failure last. */
export class Rotation {
  readonly #failedAt = new Map<string, number>()
  #turn: number

  /** A random first turn distributes commands that connect only once. */
  constructor(first: number = Math.floor(Math.random() * 1000)) {
    this.#turn = first
  }

  next(pods: readonly ApiServerPod[], now: number): ApiServerPod[] {
    const start = pods.length === 0 ? 0 : this.#turn % pods.length
    this.#turn += 1
    const inTurn = [...pods.slice(start), ...pods.slice(0, start)]
    const isAvoided = ({ uid }: ApiServerPod) =>
      now - (this.#failedAt.get(uid) ?? Number.NEGATIVE_INFINITY) < AVOIDED_MS
    return [...inTurn.filter((pod) => !isAvoided(pod)), ...inTurn.filter(isAvoided)]
  }

  failed({ uid }: ApiServerPod, now: number): void {
    for (const [key, at] of this.#failedAt) {
      if (now - at >= AVOIDED_MS) {
        this.#failedAt.delete(key)
      }
    }
    this.#failedAt.set(uid, now)
  }
}
