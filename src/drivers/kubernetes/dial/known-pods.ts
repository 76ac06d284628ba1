import type { HostApi } from '../host/host-api.ts'
import { componentSelector, type PlacedName } from '../context/object-names.ts'
import { fieldAt, recordsAt } from '../../../shared/json-fields.ts'
import { conditionOf, isLeaving, type KubeObject } from '../../../shared/kube/kube-object.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import { unlessAborted } from '../../../shared/concurrency/unless-aborted.ts'
import { timeLimit } from '../../../shared/wait.ts'

/** How long listing the pods may take, including a login, in milliseconds: clients do not wait longer. */
const LIST_MS = 9000

/** How long a list is valid without a watch, in milliseconds: a deleted pod serves for longer. */
const VALID_MS = 2000

export type PodsApi = Pick<HostApi, 'get' | 'list' | 'watch'>

/** A pod of kube-apiserver, with the fields that are needed to connect to it. */
export interface ApiServerPod {
  name: string
  uid: string
  isReady: boolean
  /** It may not serve yet. */
  isRunning: boolean
}

/** The kube-apiserver pods of a plane: listed on demand, and updated by a watch while `follow` runs. */
export class KnownPods {
  readonly #api: PodsApi
  readonly #path: string
  readonly #selector: string
  readonly #waiting = new Set<() => void>()
  #pods = new Map<string, ApiServerPod>()
  #listing: Promise<ApiServerPod[]> | undefined
  /** When they were listed; undefined when they must be listed again. */
  #listedAt: number | undefined
  #isFollowed = false

  constructor(api: PodsApi, { name, namespace }: PlacedName) {
    this.#api = api
    this.#path = collectionPath('pods', namespace)
    this.#selector = componentSelector(name, 'kube-apiserver')
  }

  /** Lists them once for concurrent callers; later callers do not use a list that one gave up. */
  async current(signal: AbortSignal): Promise<ApiServerPod[]> {
    if (this.#isValid()) {
      return [...this.#pods.values()]
    }
    const listing = (this.#listing ??= this.#list())
    try {
      const pods = await unlessAborted(listing, signal)
      if (this.#listing === listing) {
        this.#pods = new Map(pods.map((pod) => [pod.uid, pod]))
        this.#listedAt = performance.now()
      }
      return pods
    } finally {
      if (this.#listing === listing) {
        this.#listing = undefined
      }
    }
  }

  invalidate(): void {
    this.#listedAt = undefined
  }

  /** Updates them by a watch until the signal fires; rejects when the host denies the watch. */
  async follow(signal: AbortSignal): Promise<void> {
    const path = `${this.#path}?labelSelector=${encodeURIComponent(this.#selector)}`
    try {
      for await (const { object, type } of this.#api.watch(path, { signal })) {
        if (type === 'DELETED') {
          this.#pods.delete(object.metadata.uid ?? '')
        } else {
          const pod = toApiServerPod(object)
          this.#pods.set(pod.uid, pod)
        }
        this.#isFollowed = true
        this.#waiting.forEach((notify) => notify())
      }
    } catch (error) {
      if (!signal.aborted) {
        throw error
      }
    } finally {
      this.#isFollowed = false
      this.invalidate()
    }
  }

  /** Calls `onChange` with them now, and after each change while `follow` runs, until it is disposed. */
  watch(onChange: (pods: ApiServerPod[]) => void): Disposable {
    const notify = () => onChange([...this.#pods.values()])
    this.#waiting.add(notify)
    notify()
    return { [Symbol.dispose]: () => void this.#waiting.delete(notify) }
  }

  #isValid(): boolean {
    return (
      this.#listedAt !== undefined &&
      (this.#isFollowed || performance.now() - this.#listedAt < VALID_MS)
    )
  }

  async #list(): Promise<ApiServerPod[]> {
    const signal = timeLimit(LIST_MS, 'the host cluster')
    const { items } = await this.#api.list(this.#path, { labelSelector: this.#selector, signal })
    return items.map(toApiServerPod)
  }
}

/** Converts a pod of the host's API. */
export function toApiServerPod(pod: KubeObject): ApiServerPod {
  const { metadata } = pod
  const isEnding = isLeaving(pod)
  const isRunning =
    !isEnding &&
    fieldAt(pod, 'status', 'phase') === 'Running' &&
    recordsAt(pod, 'status', 'containerStatuses').some(
      (container) => fieldAt(container, 'state', 'running') !== undefined,
    )
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    isRunning,
    isReady: !isEnding && conditionOf(pod, 'Ready')?.['status'] === 'True',
  }
}
