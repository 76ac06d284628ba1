import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { KubeClient } from '../kube/client/client.ts'
import { unlessStatus } from '../kube/kube-error.ts'
import {
  type GatewayPlace,
  type GatewayPlane,
  recordsPatch,
  type WaitingClient,
  type WakeRequest,
  wakesName,
} from '../manifests/gateway-records.ts'
import { messageOf } from '../shared/errors.ts'
import { objectPath } from '../shared/kube/collections.ts'

/** A host that does not answer within this time is asked again. */
const PATCH_MS = 5000

/** A plane that was not asked for before waits for such a part of the interval at most. */
const TURNS = 5

/** A request names so many clients at most. */
const MAX_CLIENTS = 10

/**
 * When requests are longer together, they leave out the names of servers, which clients choose. A ConfigMap has 1 MiB at most:
 * as many clients as a gateway holds then take a third of it.
 */
const MAX_BYTES = 256 * 1024

/** The host refuses to store a ConfigMap that is too large. */
const TOO_LARGE = 422

/** A plane as a request names it. */
export interface AskedPlane extends Pick<GatewayPlane, 'id'> {
  name: string
}

export interface WakeRequestsOptions {
  host: Pick<KubeClient, 'patch'>
  gateway: GatewayPlace
  /** How often requests are sent again, in milliseconds. */
  intervalMs: number
  log: (line: string) => void
  signal: AbortSignal
}

type Records = Record<string, WakeRequest | null>

/** The requests of a gateway to wake planes: a keeper or an operator reads them, and decides. One of a process. */
export class WakeRequests {
  readonly #options: WakeRequestsOptions
  readonly #path: string
  readonly #process = randomBytes(6).toString('hex')
  /** What it asks for now, by the keys of planes. */
  readonly #asking = new Map<string, Asking>()
  #isRunning = false
  #sent = 0
  /** The last one that was logged. */
  #failure: string | undefined

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
    const { isNew = true, namedIn = new Map() } = this.#asking.get(name) ?? {}
    // The plane may be another one of the same name.
    this.#asking.set(name, { id, clients, isNew, namedIn })
    if (!this.#isRunning) {
      void this.#run()
    }
  }

  /** Sends the requests for all planes together: strangers decide how many planes have clients that wait. */
  async #run(): Promise<void> {
    const { intervalMs, signal } = this.#options
    this.#isRunning = true
    for (let turn = 0; this.#asking.size > 0 && !signal.aborted; turn += 1) {
      const isForAll = turn % TURNS === 0
      const names = [...this.#asking].flatMap(([name, { isNew }]) =>
        isForAll || isNew ? [name] : [],
      )
      await this.#send(names)
      await delay(intervalMs / TURNS, undefined, { signal }).catch(() => {})
    }
    this.#isRunning = false
  }

  async #send(names: readonly string[]): Promise<void> {
    if (names.length === 0) {
      return
    }
    const { log, signal } = this.#options
    const records = Object.fromEntries(names.map((name) => [name, this.#requestFor(name)]))
    try {
      await this.#patch(records)
      this.#failure = undefined
      const left = names.filter((name) => records[name] === null)
      left.forEach((name) => this.#forget(name))
    } catch (error) {
      const failure = messageOf(error)
      if (!signal.aborted && this.#failure !== failure) {
        this.#failure = failure
        log(`error: cannot ask to wake control planes: ${failure}`)
      }
    }
  }

  /** Null when nobody waits for the plane any more: a record that stays takes room from others. */
  #requestFor(name: string): WakeRequest | null {
    const asking = this.#asking.get(name)
    const clients = asking === undefined ? [] : chosenOf(asking)
    if (asking === undefined || clients.length === 0) {
      return null
    }
    this.#sent += 1
    asking.isNew = false
    clients.forEach(({ address }) => asking.namedIn.set(address, this.#sent))
    return { id: asking.id, mark: `${this.#process}-${this.#sent}`, clients }
  }

  async #patch(records: Records): Promise<void> {
    const { host, signal } = this.#options
    const limit = AbortSignal.any([signal, AbortSignal.timeout(PATCH_MS)])
    const patch = (body: object) => host.patch(this.#path, body, { type: 'merge', signal: limit })
    const whole = recordsPatch(records)
    const body = JSON.stringify(whole).length > MAX_BYTES ? recordsPatch(nameless(records)) : whole
    if ((await unlessStatus([TOO_LARGE], patch(body))) === undefined) {
      // It has records of gateways that were killed. Those of others are soon there again.
      await patch({ data: null })
      await patch(body)
    }
  }

  #forget(name: string): void {
    const asking = this.#asking.get(name)
    if (asking?.clients().length === 0) {
      this.#asking.delete(name)
    } else if (asking !== undefined) {
      asking.isNew = true
    }
  }
}

interface Asking {
  id: string
  clients: () => readonly WaitingClient[]
  /** Whether no request was sent for it yet. */
  isNew: boolean
  /** The number of the last request that named a client, by its address. */
  namedIn: Map<string, number>
}

/**
 * The clients that the next request names, each address once, whatever servers it asks for: first those that none has named,
 * the latest first, and then those that were named longest ago. So no address keeps another one out.
 */
function chosenOf({ clients, namedIn }: Asking): WaitingClient[] {
  const latest = new Map<string, WaitingClient>()
  for (const client of clients().toReversed()) {
    if (!latest.has(client.address)) {
      latest.set(client.address, client)
    }
  }
  const gone = [...namedIn.keys()].filter((address) => !latest.has(address))
  gone.forEach((address) => namedIn.delete(address))
  const lastIn = ({ address }: WaitingClient) => namedIn.get(address) ?? 0
  return [...latest.values()].toSorted((a, b) => lastIn(a) - lastIn(b)).slice(0, MAX_CLIENTS)
}

function nameless(records: Records): Records {
  return Object.fromEntries(
    Object.entries(records).map(([name, request]) => {
      const clients = request?.clients.map(({ address }) => ({ address })) ?? []
      return [name, request && { ...request, clients }]
    }),
  )
}
