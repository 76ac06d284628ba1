import { IN_VAIN_MS } from '../wake/wakes-by-address.ts'
import { type LocalClients, OF_KEEPER } from './local-clients.ts'
import { OwnConnections } from './own-connections.ts'

/** All programs, since they cannot be told apart. */
const SOURCE = { id: 'any', name: 'a program on this machine' }

/** Clients of a system that does not show whose a connection is: all count as one, and which of them stay is unknown. */
export class UnknownClients implements Disposable, LocalClients {
  readonly #own = new OwnConnections()
  readonly #now: () => Date

  constructor(now: () => Date) {
    this.#now = now
  }

  readonly wakingFrom: LocalClients['wakingFrom'] = async ({ from }) => {
    if (this.#own.has(from)) {
      throw new Error(OF_KEEPER)
    }
    return SOURCE
  }

  readonly connectedTo: LocalClients['connectedTo'] = async () => []

  readonly isPresent: LocalClients['isPresent'] = (_source, since) =>
    this.#now().getTime() - since.getTime() < IN_VAIN_MS;

  [Symbol.dispose](): void {
    this.#own[Symbol.dispose]()
  }
}
