interface Kept<Value> {
  proof: string
  value: Value
  usedAt: number
}

/** How long a value is kept that nobody asks for, in milliseconds. */
const KEPT_MS = 60_000

/** Values that are expensive to make. Each is kept until it is asked for with another proof, or by nobody for a minute. */
export class RecentlyUsed<Value> {
  readonly #kept = new Map<string, Kept<Value>>()
  readonly #drop: (value: Value) => void
  readonly #now: () => number

  /** `drop` is called with each value that is not kept any more. */
  constructor(drop: (value: Value) => void = () => {}, now = () => performance.now()) {
    this.#drop = drop
    this.#now = now
  }

  /** The value of a key, made again when the proof differs from the last one. What `make` throws is not kept. */
  get(key: string, proof: string, make: () => Value): Value {
    const usedAt = this.#now()
    for (const [other, kept] of this.#kept) {
      if (usedAt - kept.usedAt > KEPT_MS || (other === key && kept.proof !== proof)) {
        this.#kept.delete(other)
        this.#drop(kept.value)
      }
    }
    const kept = this.#kept.get(key)
    const value = kept === undefined ? make() : kept.value
    this.#kept.set(key, { proof, value, usedAt })
    return value
  }
}
