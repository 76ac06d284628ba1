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

/** The EndpointSlices with which endpoints of planes lead to a gateway in another namespace: they follow its pods. */
export class FollowedSlices {
  readonly #options: SlicesOptions
  readonly #ports = new Map<ObjectKey, { place: PlacedName; port: number }>()
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
    for (const key of this.#ports.keys()) {
      this.#queue.add(key)
    }
  }

  /** Has the endpoint of a plane lead to a port of the gateway, beside where else it leads. */
  async add(place: PlacedName, port: number, signal: AbortSignal): Promise<void> {
    const key = toObjectKey(place)
    this.#ports.set(key, { place, port })
    await this.#inTurn(key, () => this.#write(key, signal))
  }

  /** Has the endpoint of a plane no longer lead to the gateway. */
  async remove(place: PlacedName, signal: AbortSignal): Promise<void> {
    const key = toObjectKey(place)
    this.#ports.delete(key)
    await this.#inTurn(key, () => deleteSlices(this.#options.host, place, signal))
  }

  async #write(key: ObjectKey, signal: AbortSignal): Promise<void> {
    const { host, pods } = this.#options
    const { place, port } = this.#ports.get(key) ?? {}
    const endpoint = place && (await readEndpoint(host, place, signal))
    if (endpoint !== undefined && port !== undefined) {
      await writeSlices(host, endpoint, { port, pods: await pods(signal), signal })
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
