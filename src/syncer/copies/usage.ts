import type { ObjectKey } from '../scope/object-key.ts'

/** Which objects are used by which others: those that nobody uses any more leave the host. */
export class Usage {
  readonly #usedBy = new Map<ObjectKey, Set<string>>()
  readonly #usesOf = new Map<string, ReadonlySet<ObjectKey>>()

  /** Takes in what one user of objects uses now; returns the objects of which that changed. */
  set(user: string, uses: Iterable<ObjectKey>): ObjectKey[] {
    const before = this.#usesOf.get(user) ?? new Set()
    const now = new Set(uses)
    const added = [...now].filter((key) => !before.has(key))
    const removed = [...before].filter((key) => !now.has(key))
    for (const key of added) {
      const users = this.#usedBy.get(key) ?? new Set()
      this.#usedBy.set(key, users.add(user))
    }
    for (const key of removed) {
      const users = this.#usedBy.get(key)
      users?.delete(user)
      if (users?.size === 0) {
        this.#usedBy.delete(key)
      }
    }
    if (now.size === 0) {
      this.#usesOf.delete(user)
    } else {
      this.#usesOf.set(user, now)
    }
    return [...added, ...removed]
  }

  isUsed(key: ObjectKey): boolean {
    return this.#usedBy.has(key)
  }
}
