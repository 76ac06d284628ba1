import { EventEmitter, once } from 'node:events'
import { VplaneError } from '../../../src/shared/errors.ts'
import type { PlaneApi } from '../../../src/control-plane/api/plane-api.ts'
import type { KubeObject, WatchEvent } from '../../../src/shared/kube/kube-object.ts'

/** What a test may put between a request and the memory. */
export interface MemoryApiHooks {
  /** Changes or refuses what is applied. @default nothing */
  onApply?: (object: KubeObject, path: string) => KubeObject | Promise<KubeObject>
  /** Refuses what is created by throwing. @default nothing */
  onCreate?: (object: KubeObject, path: string) => void
}

/** A plane's API in memory: objects by path, uids, resource versions, watches. It has no admission and no controllers. */
export class MemoryApi implements PlaneApi {
  readonly objects = new Map<string, KubeObject>()
  /** What was called, as `apply /api/v1/…`. */
  readonly calls: string[] = []
  /** Watches that are open now. */
  watches = 0
  readonly #hooks: MemoryApiHooks
  readonly #log: Array<{ path: string; event: WatchEvent }> = []
  readonly #changes = new EventEmitter()
  #version = 0

  constructor(hooks: MemoryApiHooks = {}) {
    this.#hooks = hooks
    this.#changes.setMaxListeners(0)
  }

  get(path: string): Promise<KubeObject | undefined> {
    this.calls.push(`get ${path}`)
    return Promise.resolve(this.objects.get(path))
  }

  create(
    path: string,
    object: KubeObject,
    options: { dryRun?: boolean } = {},
  ): Promise<KubeObject> {
    this.calls.push(`create ${path}`)
    return new Promise((resolve) => {
      this.#hooks.onCreate?.(object, path)
      resolve(
        options.dryRun === true ? object : this.put(`${path}/${object.metadata.name}`, object),
      )
    })
  }

  async apply(
    path: string,
    object: KubeObject,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<KubeObject> {
    this.calls.push(`apply ${path}`)
    const applied = (await this.#hooks.onApply?.(object, path)) ?? object
    signal?.throwIfAborted()
    return this.put(path, { ...this.objects.get(path), ...applied })
  }

  /** Merges one level deep. */
  async patch(path: string, body: unknown): Promise<KubeObject> {
    this.calls.push(`patch ${path}`)
    const found = this.objects.get(path)
    if (found === undefined) {
      throw new VplaneError('NOT_FOUND', `there is no ${path}`)
    }
    return Promise.resolve(this.put(path, { ...found, ...Object(body) }))
  }

  delete(path: string): Promise<boolean> {
    this.calls.push(`delete ${path}`)
    const object = this.objects.get(path)
    this.objects.delete(path)
    if (object !== undefined) {
      this.#tell(path, { type: 'DELETED', object })
    }
    return Promise.resolve(object !== undefined)
  }

  async *watch(path: string, { signal }: { signal: AbortSignal }): AsyncGenerator<WatchEvent> {
    this.watches += 1
    try {
      let position = this.#log.length
      const isBelow = (key: string) => key.startsWith(`${path}/`)
      for (const [key, object] of this.objects) {
        if (isBelow(key)) {
          yield { type: 'ADDED', object }
        }
      }
      for (;;) {
        for (; position < this.#log.length; position += 1) {
          const change = this.#log[position]
          if (change !== undefined && isBelow(change.path)) {
            yield change.event
          }
        }
        await once(this.#changes, 'change', { signal })
      }
    } finally {
      this.watches -= 1
    }
  }

  text(path: string): Promise<{ status: number; body: string }> {
    this.calls.push(`text ${path}`)
    return Promise.resolve({ status: 200, body: 'ok' })
  }

  async *stream(path: string): AsyncGenerator<string> {
    yield (await this.text(path)).body
  }

  /** Stores an object at its own path, as a controller of the plane would. */
  put(path: string, object: KubeObject): KubeObject {
    this.#version += 1
    const known = this.objects.get(path)
    const metadata = {
      ...object.metadata,
      uid: known?.metadata.uid ?? `uid-${this.#version}`,
      resourceVersion: String(this.#version),
    }
    const stored = { ...object, metadata }
    this.objects.set(path, stored)
    const type = known === undefined ? 'ADDED' : 'MODIFIED'
    this.#tell(path, { type, object: stored })
    return stored
  }

  /** All objects, as text that `load` takes. */
  save(): string {
    return JSON.stringify([...this.objects])
  }

  /** Has these objects from now on, and no others. */
  load(saved: string): void {
    const objects: Array<[string, KubeObject]> = JSON.parse(saved)
    this.objects.clear()
    for (const [path, object] of objects) {
      this.objects.set(path, object)
    }
  }

  #tell(path: string, event: WatchEvent): void {
    this.#log.push({ path, event })
    this.#changes.emit('change')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve()
  }
}

/** An error as an API server's refusal becomes one. */
export function refused(message: string): VplaneError {
  return new VplaneError('FAILED', message)
}
