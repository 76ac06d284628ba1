import type { HostApi } from '../host/host-api.ts'
import { componentSelector, type PlacedName } from '../context/object-names.ts'
import { type ApiServerPod, toApiServerPod } from './api-server-pod.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'

/** How long a look may take, a login included; longer than that no client waits. */
const LIST_MS = 9000

/**
 * How long a look is believed while nobody follows them, in milliseconds: shorter than one of several pods still serves
 * after it was told to end, or whoever is led there then is cut off.
 */
const BELIEVED_MS = 2000

export type PodsApi = Pick<HostApi, 'get' | 'list' | 'watch'>

/**
 * The kube-apiserver pods of a plane: listed when somebody asks, and kept up to date by a watch while they are followed.
 */
export class KnownPods {
  readonly #api: PodsApi
  readonly #path: string
  readonly #selector: string
  readonly #waiting = new Set<() => void>()
  #pods = new Map<string, ApiServerPod>()
  #listing: Promise<ApiServerPod[]> | undefined
  /** When they were looked up; undefined when they have to be. */
  #knownAt: number | undefined
  /** What is known is kept up to date. */
  #isFollowed = false

  constructor(api: PodsApi, { name, namespace }: PlacedName) {
    this.#api = api
    this.#path = collectionPath('pods', namespace)
    this.#selector = componentSelector(name, 'kube-apiserver')
  }

  /**
   * Those known; when nothing is known, or only what was some time ago, they are looked up, once for all who ask
   * meanwhile. A look that somebody gave up waiting for is not waited for again.
   */
  async current(signal: AbortSignal): Promise<ApiServerPod[]> {
    if (this.#isKnown()) {
      return [...this.#pods.values()]
    }
    const listing = (this.#listing ??= this.#list())
    try {
      const pods = await unlessAborted(listing, signal)
      if (this.#listing === listing) {
        this.#pods = new Map(pods.map((pod) => [pod.uid, pod]))
        this.#knownAt = performance.now()
      }
      return pods
    } finally {
      if (this.#listing === listing) {
        this.#listing = undefined
      }
    }
  }

  /** What is known proved wrong: the next one who asks looks them up. */
  distrust(): void {
    this.#knownAt = undefined
  }

  /**
   * Keeps them up to date until the signal fires; never rejects because of it.
   *
   * @throws {VplaneError} when the host denies the watch.
   */
  async follow(signal: AbortSignal): Promise<void> {
    const path = `${this.#path}?labelSelector=${encodeURIComponent(this.#selector)}`
    try {
      for await (const { object, type } of this.#api.watch(path, { signal })) {
        if (type === 'DELETED') {
          this.#pods.delete(object.metadata.uid ?? '')
        } else {
          this.#add(object)
        }
        this.#isFollowed = true
        this.#waiting.forEach((look) => look())
      }
    } catch (error) {
      if (!signal.aborted) {
        throw error
      }
    } finally {
      // What nobody keeps up to date any more may be wrong soon.
      this.#isFollowed = false
      this.distrust()
    }
  }

  /** Calls `look` with them now and after each change, while they are followed; disposing ends that. */
  watch(look: (pods: ApiServerPod[]) => void): Disposable {
    const tell = () => look([...this.#pods.values()])
    this.#waiting.add(tell)
    tell()
    return { [Symbol.dispose]: () => void this.#waiting.delete(tell) }
  }

  #isKnown(): boolean {
    return (
      this.#knownAt !== undefined &&
      (this.#isFollowed || performance.now() - this.#knownAt < BELIEVED_MS)
    )
  }

  async #list(): Promise<ApiServerPod[]> {
    const signal = AbortSignal.timeout(LIST_MS)
    const { items } = await this.#api.list(this.#path, { labelSelector: this.#selector, signal })
    return items.map(toApiServerPod)
  }

  #add(object: KubeObject): void {
    const pod = toApiServerPod(object)
    this.#pods.set(pod.uid, pod)
  }
}

/** The result of what several wait for, unless the one that asks does not wait any more. */
async function unlessAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop)
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
