import type { Socket } from 'node:net'

/** A connection of a client. */
export interface ClientConnection {
  /** The plane that it is for. */
  plane: string
  /** The address of the client. */
  source: string
  socket: Socket
}

/**
 * Places for connections. When there are too many, the source with the most loses one of them: the latest one for the plane with
 * the most. So nobody keeps others out.
 */
export class Places {
  readonly #limit: number
  /** In the order in which they came. */
  readonly #taken = new Set<ClientConnection>()
  readonly #ofSources = new Map<string, number>()
  readonly #ofPlanes = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The connections that have a place. */
  get taken(): ReadonlySet<ClientConnection> {
    return this.#taken
  }

  /** Takes a place for a connection. Returns the one that loses its place, if there are too many: it may be the same. */
  take(connection: ClientConnection): ClientConnection | undefined {
    this.#taken.add(connection)
    this.#count(connection, 1)
    const surplus = this.#taken.size > this.#limit ? this.#surplus() : undefined
    if (surplus !== undefined) {
      this.leave(surplus)
    }
    return surplus
  }

  /** Frees the place of a connection, if it has one. */
  leave(connection: ClientConnection): void {
    if (this.#taken.delete(connection)) {
      this.#count(connection, -1)
    }
  }

  #surplus(): ClientConnection | undefined {
    let surplus: ClientConnection | undefined
    let [mostOfSource, mostOfPlane] = [0, 0]
    for (const connection of this.#taken) {
      const ofSource = countOf(this.#ofSources, connection.source)
      const ofPlane = countOf(this.#ofPlanes, connection.plane)
      if (ofSource > mostOfSource || (ofSource === mostOfSource && ofPlane >= mostOfPlane)) {
        surplus = connection
        mostOfSource = ofSource
        mostOfPlane = ofPlane
      }
    }
    return surplus
  }

  #count({ plane, source }: ClientConnection, count: number): void {
    addTo(this.#ofSources, source, count)
    addTo(this.#ofPlanes, plane, count)
  }
}

function countOf(counts: ReadonlyMap<string, number>, key: string): number {
  return counts.get(key) ?? 0
}

function addTo(counts: Map<string, number>, key: string, count: number): void {
  const sum = countOf(counts, key) + count
  if (sum === 0) {
    counts.delete(key)
  } else {
    counts.set(key, sum)
  }
}
