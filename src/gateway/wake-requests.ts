import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { KubeClient } from '../kube/client/client.ts'
import {
  type GatewayPlace,
  type GatewayPlane,
  recordPatch,
  type WaitingClient,
  wakesName,
} from '../manifests/gateway-records.ts'
import { messageOf } from '../shared/errors.ts'
import { objectPath } from '../shared/kube/collections.ts'

/** A host that does not answer within this time is asked again. */
const PATCH_MS = 5000

/** A request names so many clients at most. */
const MAX_CLIENTS = 10

/** A plane as a request names it. */
export interface AskedPlane extends Pick<GatewayPlane, 'id'> {
  name: string
}

export interface WakeRequestsOptions {
  host: Pick<KubeClient, 'patch'>
  gateway: GatewayPlace
  /** How often a request is sent again, in milliseconds. */
  intervalMs: number
  log: (line: string) => void
  signal: AbortSignal
}

/** The requests of a gateway to wake planes: a keeper or an operator reads them, and decides. One of a process. */
export class WakeRequests {
  readonly #options: WakeRequestsOptions
  readonly #path: string
  readonly #process = randomBytes(6).toString('hex')
  /** What it asks for now, by the keys of planes. */
  readonly #asking = new Map<string, Asking>()
  #sent = 0

  constructor(options: WakeRequestsOptions) {
    this.#options = options
    const { name, namespace } = options.gateway
    this.#path = objectPath('configmaps', { name: wakesName(name), namespace })
  }

  /** How many requests it has sent. */
  get sent(): number {
    return this.#sent
  }

  /** Asks for a plane at once and in intervals, as long as clients wait for it: the latest of them last. */
  ask({ id, name }: AskedPlane, clients: () => readonly WaitingClient[]): void {
    const asking = this.#asking.get(name)
    if (asking === undefined) {
      void this.#askFor(name, { id, clients })
    } else {
      // The plane may be another one of the same name.
      Object.assign(asking, { id, clients })
    }
  }

  async #askFor(name: string, asking: Asking): Promise<void> {
    const { intervalMs, signal } = this.#options
    this.#asking.set(name, asking)
    // It also waits after the last request: clients that come and leave at once cause no more requests than others.
    while (asking.clients().length > 0 && !signal.aborted) {
      await this.#send(name, asking)
      await delay(intervalMs, undefined, { signal }).catch(() => {})
    }
    this.#asking.delete(name)
  }

  async #send(name: string, asking: Asking): Promise<void> {
    const { host, log, signal } = this.#options
    this.#sent += 1
    const mark = `${this.#process}-${this.#sent}`
    const request = { id: asking.id, mark, clients: latestOf(asking.clients()) }
    const limit = AbortSignal.any([signal, AbortSignal.timeout(PATCH_MS)])
    try {
      await host.patch(this.#path, recordPatch(name, request), { type: 'merge', signal: limit })
      delete asking.failure
    } catch (error) {
      const failure = messageOf(error)
      if (!signal.aborted && asking.failure !== failure) {
        asking.failure = failure
        log(`${name}: error: cannot ask to wake it: ${failure}`)
      }
    }
  }
}

interface Asking {
  id: string
  clients: () => readonly WaitingClient[]
  /** The last one that was logged. */
  failure?: string
}

/** The last of these clients, the very last first, and each once. */
function latestOf(clients: readonly WaitingClient[]): WaitingClient[] {
  const distinct = new Map<string, WaitingClient>()
  for (const client of clients.toReversed()) {
    const key = `${client.address} ${client.serverName ?? ''}`
    if (!distinct.has(key)) {
      distinct.set(key, client)
    }
  }
  return [...distinct.values()].slice(0, MAX_CLIENTS)
}
