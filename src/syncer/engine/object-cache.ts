import type { KubeClient } from '../../kube/client/client.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { Selection } from '../../kube/client/query.ts'
import { keyOf, type ObjectKey } from '../scope/object-key.ts'

/** Told of each object that has come, changed or gone; it is as it was last. */
export type ObjectListener = (object: KubeObject, isGone: boolean) => void

export interface CacheOptions extends Selection {
  /** What is kept of an object; undefined where none of it is, as if there was no such object. @default all of it */
  keep?: (object: KubeObject) => KubeObject | undefined
}

/**
 * The objects of one collection as the API server had them a moment ago. They belong to the cache: whoever reads them
 * changes nothing in them.
 */
export class ObjectCache {
  readonly #client: Pick<KubeClient, 'watch'>
  readonly #path: string
  readonly #selection: Selection
  readonly #keep: Required<CacheOptions>['keep']
  readonly #objects = new Map<ObjectKey, KubeObject>()
  readonly #listeners: ObjectListener[] = []
  readonly #listed = Promise.withResolvers<void>()

  constructor(client: Pick<KubeClient, 'watch'>, path: string, options: CacheOptions = {}) {
    const { keep = (object) => object, ...selection } = options
    this.#client = client
    this.#path = path
    this.#selection = selection
    this.#keep = keep
    // Nobody may be waiting for it when the watch fails: `run` says so, too.
    this.#listed.promise.catch(() => {})
  }

  /** Fulfilled when everything that was there at the start is in it. */
  get listed(): Promise<void> {
    return this.#listed.promise
  }

  get size(): number {
    return this.#objects.size
  }

  get(key: ObjectKey): KubeObject | undefined {
    return this.#objects.get(key)
  }

  values(): Iterable<KubeObject> {
    return this.#objects.values()
  }

  /** Calls the listener for every change from now on. */
  onChange(listener: ObjectListener): void {
    this.#listeners.push(listener)
  }

  /**
   * Follows the collection until the signal fires, whose reason is thrown then.
   *
   * @throws {VplaneError} `FAILED` when it may not be read.
   */
  async run(signal: AbortSignal): Promise<never> {
    try {
      const onListed = () => this.#listed.resolve()
      const options = { ...this.#selection, signal, onListed }
      for await (const { object, type } of this.#client.watch(this.#path, options)) {
        this.#take(object, type === 'DELETED')
      }
      throw new Error(`the watch of ${this.#path} has ended`)
    } catch (error) {
      this.#listed.reject(error)
      throw error
    }
  }

  #take(object: KubeObject, isGone: boolean): void {
    // Nobody reads them, and they are half of what many objects weigh.
    delete object.metadata['managedFields']
    const kept = isGone ? undefined : this.#keep(object)
    if (kept === undefined) {
      this.#objects.delete(keyOf(object))
    } else {
      this.#objects.set(keyOf(kept), kept)
    }
    for (const listener of this.#listeners) {
      listener(kept ?? object, kept === undefined)
    }
  }
}

/** A kind on both sides. */
export interface Sides {
  virtual: ObjectCache
  /** Only objects that are marked as this plane's. */
  host: ObjectCache
}
