import type { KubeClient } from '../client/client.ts'
import { unlessStatus } from '../kube-error.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { Selection } from '../client/query.ts'
import { keyOf, type ObjectKey } from './object-key.ts'
import { shareParts } from './share-parts.ts'

export type ObjectListener = (object: KubeObject, isGone: boolean) => void

export interface CacheOptions extends Selection {
  /** The part of an object to store; undefined when the cache has to ignore it. @default the whole object */
  keep?: (object: KubeObject) => KubeObject | undefined
  /**
   * Called once when access is denied: the cache has no objects then, until access is granted. @default `run` fails
   */
  onDenied?: (error: unknown) => void
  /** Receives what a listener throws about one object: the cache and its other listeners continue. @default `run` fails */
  onListenerError?: (object: KubeObject, error: unknown) => void
  /** Whether it holds nothing but the metadata of its objects. @default false */
  metadataOnly?: boolean
}

/** The recent objects of one collection of an API server; readers must not change them: they share equal parts. */
export class ObjectCache {
  readonly #client: Pick<KubeClient, 'watch'>
  readonly #path: string
  readonly #selection: Selection & Pick<CacheOptions, 'metadataOnly'>
  readonly #keep: Required<CacheOptions>['keep']
  readonly #onDenied: CacheOptions['onDenied']
  readonly #onListenerError: CacheOptions['onListenerError']
  readonly #objects = new Map<ObjectKey, KubeObject>()
  readonly #listeners: ObjectListener[] = []
  readonly #listed = Promise.withResolvers<void>()
  #last: KubeObject | undefined

  constructor(client: Pick<KubeClient, 'watch'>, path: string, options: CacheOptions = {}) {
    const { keep = (object) => object, onDenied, onListenerError, ...selection } = options
    this.#client = client
    this.#path = path
    this.#selection = selection
    this.#keep = keep
    this.#onDenied = onDenied
    this.#onListenerError = onListenerError
    // When the watch fails, `run` reports it, even if no code awaits this promise.
    this.#listed.promise.catch(() => {})
  }

  /** Fulfilled when the cache has all objects that existed at the start, or may not read them. */
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

  /** Calls a function for every object; its errors are those of a listener. */
  forEach(listener: (object: KubeObject) => void): void {
    for (const object of this.#objects.values()) {
      this.#tell(listener, object, false)
    }
  }

  /** Calls the listener for every later change. */
  onChange(listener: ObjectListener): void {
    this.#listeners.push(listener)
  }

  /**
   * Watches until the signal fires, and throws its reason. @throws {VplaneError} `FAILED` when access is denied, without
   * `onDenied`.
   */
  async run(signal: AbortSignal): Promise<never> {
    try {
      const onListed = () => this.#listed.resolve()
      const keep = (object: KubeObject) => {
        // No code reads them, and they are half of the size of many objects.
        delete object.metadata['managedFields']
        return this.#shared(this.#keep(object))
      }
      const options = { ...this.#selection, signal, keep, onListed, ...this.#whenDenied() }
      for await (const { object, type } of this.#client.watch(this.#path, options)) {
        this.#update(object, type === 'DELETED')
      }
      throw new Error(`the watch of ${this.#path} has ended`)
    } catch (error) {
      this.#listed.reject(error)
      throw error
    }
  }

  /** Already in a list, which is large before that. */
  #shared(object: KubeObject | undefined): KubeObject | undefined {
    if (object !== undefined) {
      const other = this.#objects.get(keyOf(object)) ?? this.#last ?? object
      this.#last = shareParts(object, other)
      return this.#last
    }
    return undefined
  }

  #whenDenied(): { onDenied?: (error: unknown) => void } {
    const report = this.#onDenied
    let wasReported = false
    const onDenied = (error: unknown) => {
      this.#listed.resolve()
      if (!wasReported) {
        wasReported = true
        report?.(error)
      }
    }
    return report === undefined ? {} : { onDenied }
  }

  #update(object: KubeObject, isGone: boolean): void {
    if (isGone) {
      this.#objects.delete(keyOf(object))
    } else {
      this.#objects.set(keyOf(object), object)
    }
    for (const listener of this.#listeners) {
      this.#tell(listener, object, isGone)
    }
  }

  #tell(listener: ObjectListener, object: KubeObject, isGone: boolean): void {
    try {
      listener(object, isGone)
    } catch (error) {
      if (this.#onListenerError === undefined) {
        throw error
      }
      this.#onListenerError(object, error)
    }
  }
}

/** The answer to a write of a changed cached object; undefined if the cache was outdated: the watch starts a new try. */
export function unlessChanged<Answer>(writing: Promise<Answer>): Promise<Answer | undefined> {
  return unlessStatus([404, 409], writing)
}

/** Changes an object, or creates it: the likelier request first, and the other one if the cache was outdated. */
export async function createOrChange(
  { change, create }: Record<'change' | 'create', () => Promise<unknown>>,
  { isKnown }: { isKnown: boolean },
): Promise<void> {
  const [first, second] = isKnown ? [change, create] : [create, change]
  if ((await unlessChanged(first())) === undefined) {
    await second()
  }
}
