import { ObjectCache } from '../../kube/cache/object-cache.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import {
  type GatewayPlace,
  type WakeRequest,
  wakeRequestsOf,
  wakesName,
} from '../../manifests/gateway-records.ts'
import { unlessAborted } from '../../shared/concurrency/unless-aborted.ts'
import { collectionPath } from '../../shared/kube/collections.ts'

type Listener = (request: WakeRequest) => void

/** The planes that a gateway asks to wake, by their keys. */
export class WakeRequests {
  readonly #cache: ObjectCache
  #requests = new Map<string, WakeRequest>()
  #isGone = false
  readonly #waiting = new Map<string, Set<Listener>>()

  constructor(host: Pick<KubeClient, 'watch'>, { name, namespace }: GatewayPlace) {
    this.#cache = new ObjectCache(host, collectionPath('configmaps', namespace), {
      fieldSelector: `metadata.name=${wakesName(name)}`,
    })
    this.#cache.onChange((configMap, isGone) => {
      this.#isGone = isGone
      this.#requests = isGone ? new Map() : wakeRequestsOf(configMap)
      for (const [key, request] of this.#requests) {
        this.#waiting.get(key)?.forEach((notify) => notify(request))
      }
    })
  }

  /** Watches until the signal fires, and throws its reason. @throws {VplaneError} `FAILED` when access is denied. */
  run(signal: AbortSignal): Promise<never> {
    return this.#cache.run(signal)
  }

  /** Whether someone has deleted where the gateway asks, since the watch began. */
  get isGone(): boolean {
    return this.#isGone
  }

  /** The last request for a plane, which may be an old one. */
  last(key: string): WakeRequest | undefined {
    return this.#requests.get(key)
  }

  /** Waits for a request for a plane of this id with another mark. Throws the reason of the signal. */
  async next(
    plane: { id: string; key: string },
    { mark, signal }: { mark: string | undefined; signal: AbortSignal },
  ): Promise<WakeRequest> {
    signal.throwIfAborted()
    const isNew = (request: WakeRequest | undefined): request is WakeRequest =>
      request !== undefined && request.id === plane.id && request.mark !== mark
    const last = this.last(plane.key)
    if (isNew(last)) {
      return last
    }
    const listeners = this.#waiting.get(plane.key) ?? new Set()
    this.#waiting.set(plane.key, listeners)
    const { promise, resolve } = Promise.withResolvers<WakeRequest>()
    const notify = (request: WakeRequest) => isNew(request) && resolve(request)
    listeners.add(notify)
    try {
      return await unlessAborted(promise, signal)
    } finally {
      listeners.delete(notify)
    }
  }
}
