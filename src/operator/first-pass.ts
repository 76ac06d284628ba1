import type { ObjectKey } from '../kube/cache/object-key.ts'

/** Tells once when an operator has seen all ControlPlanes that existed when it started. */
export class FirstPass {
  readonly #onDone: (count: number) => void
  readonly #seen = new Set<ObjectKey>()
  #awaited: Set<ObjectKey> | undefined
  #isDone = false

  constructor(onDone: (count: number) => void) {
    this.#onDone = onDone
  }

  /** Has the ControlPlanes that existed at the start. */
  expect(keys: Iterable<ObjectKey>): void {
    this.#awaited = new Set(keys)
    this.#check()
  }

  /** Has seen one, whatever came of it. */
  note(key: ObjectKey): void {
    if (!this.#isDone) {
      this.#seen.add(key)
      this.#check()
    }
  }

  #check(): void {
    const awaited = this.#awaited
    if (
      awaited !== undefined &&
      !this.#isDone &&
      [...awaited].every((key) => this.#seen.has(key))
    ) {
      this.#isDone = true
      this.#seen.clear()
      this.#onDone(awaited.size)
    }
  }
}
