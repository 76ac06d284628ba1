import type { PlacedName } from '../../drivers/kubernetes/context/object-names.ts'
import { deleteSlices, writeSlices } from '../../drivers/kubernetes/gateway/gateway-slices.ts'
import { readEndpoint } from '../../drivers/kubernetes/host/endpoint-service.ts'
import { type ObjectKey, toObjectKey } from '../../kube/cache/object-key.ts'
import { WorkQueue } from '../../kube/cache/work-queue.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { messageOf } from '../../shared/errors.ts'
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

  /** Has the endpoint of a plane lead to a port of the gateway, beside where else it leads. */
  async add(place: PlacedName, port: number, signal: AbortSignal): Promise<void> {
    const key = toObjectKey(place)
    this.#followed.set(key, { place, port })
    await this.#inTurn(key, () => this.#write(key, signal))
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
    } else if (this.#followed.get(key) === followed) {
      // The plane was deleted. Another one of its name may run, and its port may be that of another plane.
      this.#followed.delete(key)
    }
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
