/** Runs something while it has holders and for a while afterwards, so that it does not start again for each holder. */
export class SharedRun {
  readonly #run: (signal: AbortSignal) => Promise<void>
  readonly #lingerMs: number
  #holders = 0
  #timer: NodeJS.Timeout | undefined
  #running: { stop: AbortController; ended: Promise<void> } | undefined

  /** @param run returns when its signal fires; if it returns earlier, the next holder starts it again */
  constructor(run: (signal: AbortSignal) => Promise<void>, lingerMs: number) {
    this.#run = run
    this.#lingerMs = lingerMs
  }

  /** Starts it unless it runs; disposing releases it. `failed` rejects when it fails meanwhile. */
  hold(): Disposable & { failed: Promise<never> } {
    this.#holders += 1
    clearTimeout(this.#timer)
    const { ended } = (this.#running ??= this.#start())
    const failed = new Promise<never>((_, reject) => {
      ended.catch(reject)
    })
    failed.catch(() => {})
    let isHeld = true
    return {
      failed,
      [Symbol.dispose]: () => {
        if (isHeld) {
          isHeld = false
          this.#release()
        }
      },
    }
  }

  #start() {
    const stop = new AbortController()
    const ended = this.#run(stop.signal).finally(() => {
      if (this.#running?.stop === stop) {
        this.#running = undefined
      }
    })
    ended.catch(() => {})
    return { stop, ended }
  }

  #release(): void {
    this.#holders -= 1
    if (this.#holders === 0) {
      this.#timer = setTimeout(() => {
        this.#running?.stop.abort()
        this.#running = undefined
      }, this.#lingerMs).unref()
    }
  }
}
