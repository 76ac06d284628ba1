import type { Socket } from 'node:net'

/** A connection of a client. */
export interface ClientConnection {
  /** The plane that it is for. */
  plane: string
  /** The address of the client. */
  source: string
  socket: Socket
}

/** A group of connections, of which the latest is the last. */
type Group = Set<ClientConnection>

const KINDS = ['source', 'plane'] as const

/**
 * Places for connections. When all are taken, the source with the most connections loses the latest of them to another source.
 * Where both have as many, the plane with the most does. So nobody keeps others out.
 */
export class Places {
  readonly #limit: number
  readonly #taken: Group = new Set()
  readonly #groups = { source: new Map<string, Group>(), plane: new Map<string, Group>() }

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The connections that have a place. */
  get taken(): ReadonlySet<ClientConnection> {
    return this.#taken
  }

  /** Takes a place for a connection. Returns the one that has none from now on, if there are too many: it may be the same. */
  take(connection: ClientConnection): ClientConnection | undefined {
    this.#taken.add(connection)
    for (const kind of KINDS) {
      const groups = this.#groups[kind]
      const group = groups.get(connection[kind]) ?? new Set()
      groups.set(connection[kind], group.add(connection))
    }
    const surplus = this.#taken.size > this.#limit ? this.#surplusBeside(connection) : undefined
    if (surplus !== undefined) {
      this.leave(surplus)
    }
    return surplus
  }

  /** Frees the place of a connection, if it has one. */
  leave(connection: ClientConnection): void {
    this.#taken.delete(connection)
    for (const kind of KINDS) {
      const groups = this.#groups[kind]
      const group = groups.get(connection[kind])
      if (group?.delete(connection) === true && group.size === 0) {
        groups.delete(connection[kind])
      }
    }
  }

  #surplusBeside(connection: ClientConnection): ClientConnection {
    for (const kind of KINDS) {
      const own = this.#groups[kind].get(connection[kind])
      const others = [...this.#groups[kind].values()].filter((group) => group !== own)
      const largest = others.reduce(
        (one, other) => (other.size > one.size ? other : one),
        new Set(),
      )
      const difference = largest.size - (own?.size ?? 0)
      if (difference !== 0) {
        return (difference > 0 ? [...largest].at(-1) : undefined) ?? connection
      }
    }
    return connection
  }
}
