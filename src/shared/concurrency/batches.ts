import { setImmediate } from 'node:timers/promises'

interface Waiting<Item, Result> extends PromiseWithResolvers<Result> {
  item: Item
}

/** Works together on what is added at one moment, or while it works on what was added before. */
export class Batches<Item, Result> {
  readonly #work: (items: readonly Item[]) => Promise<(item: Item) => Result>
  #waiting: Array<Waiting<Item, Result>> = []
  #isWorking = false

  /** @param work returns the result of each of the items */
  constructor(work: (items: readonly Item[]) => Promise<(item: Item) => Result>) {
    this.#work = work
  }

  /** Returns the result of an item. @throws what the work on it and on others has thrown. */
  async add(item: Item): Promise<Result> {
    const waiting = { item, ...Promise.withResolvers<Result>() }
    this.#waiting.push(waiting)
    void this.#workOnAll()
    return waiting.promise
  }

  async #workOnAll(): Promise<void> {
    if (this.#isWorking) {
      return
    }
    this.#isWorking = true
    while (this.#waiting.length > 0) {
      await setImmediate()
      const batch = this.#waiting
      this.#waiting = []
      try {
        const resultOf = await this.#work(batch.map(({ item }) => item))
        batch.forEach(({ item, resolve }) => resolve(resultOf(item)))
      } catch (error) {
        batch.forEach(({ reject }) => reject(error))
      }
    }
    this.#isWorking = false
  }
}
