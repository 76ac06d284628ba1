import type { PlacedName } from '../../drivers/kubernetes/context/object-names.ts'
import { deleteSlices, writeSlices } from '../../drivers/kubernetes/gateway/gateway-slices.ts'
import { readEndpoint } from '../../drivers/kubernetes/host/endpoint-service.ts'
import { type ObjectKey, toObjectKey } from '../../kube/cache/object-key.ts'
import { WorkQueue } from '../../kube/cache/work-queue.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

export interface SlicesOptions {
  host: Pick<KubeClient, 'create' | 'delete' | 'get' | 'list' | 'replace'>
  /** The pods of the gateway, once they are known. */
  pods: (signal: AbortSignal) => Promise<KubeObject[]>
  log: (line: string) => void
}

/** How many planes get the changed pods of the gateway at once. */
const WORKERS = 4

interface Followed {
  place: PlacedName
  port: number
  /** Of the endpoint. @default it was not read yet */
  uid?: string | undefined
  /** Whether its slices exist, unless someone deletes them. */
  isLed: boolean
}

/** The EndpointSlices with which endpoints of planes lead to a gateway in another namespace: they follow its pods. */
export class FollowedSlices {
  readonly #options: SlicesOptions
  readonly #followed = new Map<ObjectKey, Followed>()
  readonly #turns = new Map<ObjectKey, Promise<unknown>>()
  readonly #queue: WorkQueue<ObjectKey>

  constructor(options: SlicesOptions) {
    this.#options = options
    this.#queue = new WorkQueue<ObjectKey>({
      work: (key, signal) => this.#inTurn(key, () => this.#write(key, signal)),
      onError: (key, error) => options.log(`${key}: error: ${messageOf(error)}`),
      workers: WORKERS,
      retryMs: 200,
      maxRetryMs: 5000,
    })
  }

  /** Follows the pods until the signal fires. */
  run(signal: AbortSignal): Promise<void> {
    return this.#queue.run(signal)
  }

  /** Has all slices follow a change of the pods. */
  follow(): void {
    for (const key of this.#followed.keys()) {
      this.#queue.add(key)
    }
  }

  /** The planes whose endpoints this process has led to the gateway. */
  get places(): PlacedName[] {
    return [...this.#followed.values()].map(({ place }) => place)
  }

  /** The planes whose endpoints lead to the gateway, unless someone deletes what leads there. */
  get led(): PlacedName[] {
    return [...this.#followed.values()].filter(({ isLed }) => isLed).map(({ place }) => place)
  }

  /**
   * Has the endpoint of a plane lead to a port of the gateway, beside where else it leads.
   * @throws {VplaneError} `NOT_FOUND` while the plane has no endpoint.
   */
  async add(place: PlacedName, port: number, signal: AbortSignal): Promise<void> {
    const key = toObjectKey(place)
    const followed = { place, port, isLed: false }
    this.#followed.set(key, followed)
    await this.#inTurn(key, () => this.#write(key, signal))
    if (!followed.isLed) {
      throw new VplaneError('NOT_FOUND', `the endpoint of "${place.name}" does not exist`)
    }
  }

  /** Has the endpoint of a plane no longer lead to the gateway. */
  async remove(place: PlacedName, signal: AbortSignal): Promise<void> {
    const key = toObjectKey(place)
    this.#followed.delete(key)
    await this.#inTurn(key, () => deleteSlices(this.#options.host, place, signal))
  }

  async #write(key: ObjectKey, signal: AbortSignal): Promise<void> {
    const { host, pods } = this.#options
    const followed = this.#followed.get(key)
    if (followed === undefined) {
      return
    }
    const endpoint = await readEndpoint(host, followed.place, signal)
    const uid = endpoint?.metadata.uid
    followed.uid ??= uid
    if (endpoint !== undefined && uid === followed.uid) {
      await writeSlices(host, endpoint, { port: followed.port, pods: await pods(signal), signal })
      followed.isLed = true
    }
    // Of another endpoint, the plane may be another one of the name, and its port that of another plane.
  }

  /** Two writes of the same slices would conflict. */
  async #inTurn(key: ObjectKey, work: () => Promise<void>): Promise<void> {
    const former = this.#turns.get(key)
    const own = Promise.resolve(former)
      .catch(() => {})
      .then(work)
    this.#turns.set(key, own)
    try {
      await own
    } finally {
      if (this.#turns.get(key) === own) {
        this.#turns.delete(key)
      }
    }
  }
}
