import { type Stats, statSync } from 'node:fs'

interface Remembered<Value> {
  stats: Stats
  value: Value
}

/** A file that has just been written may be replaced by one with the same inode and times. */
const SETTLED_MS = 2000

/** What files say that are read again and again, and seldom change. */
export class RememberedFiles<Value> {
  readonly #known = new Map<string, Remembered<Value>>()
  readonly #now: () => number

  constructor(now = Date.now) {
    this.#now = now
  }

  /**
   * What `read` returns for a file, which is only ever replaced in one step. `read` returns undefined if there is none; what it
   * throws is not remembered.
   */
  get(path: string, read: () => Value | undefined): Value | undefined {
    const stats = statsOf(path)
    const known = this.#known.get(path)
    if (stats !== undefined && known !== undefined && isSame(stats, known.stats)) {
      return known.value
    }
    this.#known.delete(path)
    const value = read()
    if (stats !== undefined && value !== undefined && this.#now() - stats.ctimeMs > SETTLED_MS) {
      this.#known.set(path, { stats, value })
    }
    return value
  }

  /** Forgets the files that are not among these. */
  retain(paths: ReadonlySet<string>): void {
    for (const path of this.#known.keys()) {
      if (!paths.has(path)) {
        this.#known.delete(path)
      }
    }
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function isSame(left: Stats, right: Stats): boolean {
  return left.ino === right.ino && left.size === right.size && left.ctimeMs === right.ctimeMs
}
