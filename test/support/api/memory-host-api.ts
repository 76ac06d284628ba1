import { EventEmitter, once } from 'node:events'
import type {
  ApplyRequest,
  DeleteRequest,
  HostApi,
  HostRequest,
  ListRequest,
  Selection,
} from '../../../src/drivers/kubernetes/host/host-api.ts'
import {
  type WatchEvent,
  type KubeObject,
  isKubeObject,
  isLeaving,
} from '../../../src/shared/kube/kube-object.ts'
import type { WatchOptions } from '../../../src/kube/client/watch.ts'
import { toRefusal } from '../../../src/kube/kube-error.ts'
import type { VplaneError } from '../../../src/shared/errors.ts'
import { isRecord } from '../../../src/shared/json-fields.ts'

/** A request as the memory gets it. */
export interface MemoryRequest {
  verb: 'get' | 'list' | 'create' | 'apply' | 'patch' | 'replace' | 'delete' | 'watch' | 'stream'
  path: string
}

/** What a test may put between a request and the memory. */
export interface MemoryHostHooks {
  /** Refuses a request by throwing, or holds it up. @default nothing */
  onRequest?: (request: MemoryRequest) => void | Promise<void>
  /** Plays the controllers of the host: called with each object that was stored or is gone. @default nothing */
  onChange?: (event: WatchEvent & { path: string }) => void
}

/**
 * The API of a host cluster in memory: objects by path, uids, resource versions with conflicts, selectors, finalizers,
 * watches. It has no admission, no defaults and no controllers.
 */
export class MemoryHostApi implements HostApi {
  readonly objects = new Map<string, KubeObject>()
  /** What was asked, as `apply /api/v1/…`. */
  readonly requests: string[] = []
  /** The text of streams by path, without the query. */
  readonly texts = new Map<string, string>()
  readonly hooks: MemoryHostHooks
  readonly #changes = new EventEmitter()
  readonly #log: Array<WatchEvent & { path: string }> = []
  #version = 0

  constructor(hooks: MemoryHostHooks = {}) {
    this.hooks = hooks
    this.#changes.setMaxListeners(0)
  }

  /** The requests that may have changed something. */
  get writes(): string[] {
    return this.requests.filter((request) => !/^(get|list|watch|stream) /.test(request))
  }

  async get(path: string, { signal }: HostRequest = {}): Promise<KubeObject | undefined> {
    await this.#ask('get', path, signal)
    return structuredClone(this.objects.get(path))
  }

  async list(
    path: string,
    { signal, ...wanted }: ListRequest = {},
  ): Promise<{ items: KubeObject[]; resourceVersion: string }> {
    await this.#ask('list', path, signal)
    const items = [...this.objects]
      .filter(([key, object]) => isIn(key, path) && fits(object, wanted))
      .map(([, object]) => structuredClone(object))
    return { items, resourceVersion: String(this.#version) }
  }

  async create(
    path: string,
    object: KubeObject,
    { dryRun = false, signal }: HostRequest & { dryRun?: boolean } = {},
  ): Promise<KubeObject> {
    await this.#ask('create', path, signal)
    const own = `${path}/${object.metadata.name}`
    if (this.objects.has(own)) {
      throw refusal(409, `"${object.metadata.name}" already exists`)
    }
    return dryRun ? object : this.put(own, managed(object))
  }

  async apply(
    path: string,
    object: KubeObject,
    { dryRun = false, signal }: ApplyRequest = {},
  ): Promise<KubeObject> {
    await this.#ask('apply', path, signal)
    const known = this.objects.get(path)
    const merged = mergePatch(known ?? {}, object)
    const applied = managed(withOwned(merged, object))
    return dryRun ? applied : this.put(path, applied)
  }

  async patch(
    path: string,
    body: unknown,
    { signal }: HostRequest & { type: string },
  ): Promise<KubeObject> {
    await this.#ask('patch', path, signal)
    const own = path.replace(/\/status$/, '')
    const present = this.#present(own)
    this.#refuseOther(present, isRecord(body) ? body['metadata'] : undefined)
    return this.#change(own, present, mergePatch(present, body))
  }

  async replace(path: string, object: KubeObject, { signal }: HostRequest = {}) {
    await this.#ask('replace', path, signal)
    const own = path.replace(/\/status$/, '')
    const present = this.#present(own)
    this.#refuseOther(present, object.metadata)
    const isStatus = own !== path
    const wanted = isStatus ? { ...present, status: object['status'] } : managed(object)
    return this.#change(own, present, wanted)
  }

  async delete(path: string, options: DeleteRequest = {}): Promise<boolean> {
    await this.#ask('delete', path, options.signal)
    const object = this.objects.get(path)
    if (object === undefined) {
      return false
    }
    this.#refuseOther(object, options)
    if (isKept(object)) {
      const metadata = { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' }
      this.put(path, { ...object, metadata })
    } else {
      this.remove(path)
    }
    return true
  }

  async *watch(
    collection: string,
    {
      keep,
      onListed,
      signal,
      ...wanted
    }: Pick<WatchOptions, 'keep' | 'onListed' | 'signal'> & Selection,
  ): AsyncGenerator<WatchEvent> {
    const kept = ({ object, type }: WatchEvent): WatchEvent => {
      const copy = structuredClone(object)
      const part = keep === undefined ? copy : keep(copy)
      return { type: part === undefined ? 'DELETED' : type, object: part ?? object }
    }
    await this.#ask('watch', collection, signal)
    let position = this.#log.length
    for (const [key, object] of this.objects) {
      if (isIn(key, collection) && fits(object, wanted)) {
        yield kept({ type: 'ADDED', object })
      }
    }
    onListed?.()
    for (;;) {
      for (; position < this.#log.length; position += 1) {
        const event = this.#log[position]
        if (event !== undefined && isIn(event.path, collection) && fits(event.object, wanted)) {
          yield kept(event)
        }
      }
      signal.throwIfAborted()
      await once(this.#changes, 'change', { signal })
    }
  }

  async *stream(path: string, { signal }: { signal: AbortSignal }): AsyncGenerator<string> {
    await this.#ask('stream', path, signal)
    const text = this.texts.get(path.split('?')[0] ?? path)
    if (text === undefined) {
      throw refusal(404, `${path} not found`)
    }
    yield text
  }

  /** Stores an object at its own path, as a controller of the host would. */
  put(path: string, object: KubeObject): KubeObject {
    this.#version += 1
    const known = this.objects.get(path)
    const metadata = {
      ...object.metadata,
      uid: known?.metadata.uid ?? `uid-${this.#version}`,
      resourceVersion: String(this.#version),
    }
    const stored = { ...structuredClone(object), metadata }
    this.objects.set(path, stored)
    this.#tell({ type: known === undefined ? 'ADDED' : 'MODIFIED', object: stored, path })
    return structuredClone(stored)
  }

  /** Takes an object out, whatever its finalizers say. */
  remove(path: string): void {
    const object = this.objects.get(path)
    if (object !== undefined) {
      this.objects.delete(path)
      this.#tell({ type: 'DELETED', object, path })
    }
  }

  /** Stores an object again; one that is being deleted disappears with its last finalizer. */
  #change(path: string, known: KubeObject, object: KubeObject): KubeObject {
    const stored = this.put(path, object)
    if (isLeaving(stored) && isKept(known) && !isKept(stored)) {
      this.remove(path)
    }
    return stored
  }

  #present(path: string): KubeObject {
    const object = this.objects.get(path)
    if (object === undefined) {
      throw refusal(404, `${path} not found`)
    }
    return object
  }

  #refuseOther(object: KubeObject, wanted: unknown): void {
    for (const field of ['uid', 'resourceVersion'] as const) {
      const value = isRecord(wanted) ? wanted[field] : undefined
      if (value !== undefined && value !== object.metadata[field]) {
        throw refusal(409, `the ${field} of "${object.metadata.name}" is another one`)
      }
    }
  }

  async #ask(
    verb: MemoryRequest['verb'],
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    this.requests.push(`${verb} ${path}`)
    signal?.throwIfAborted()
    await this.hooks.onRequest?.({ verb, path })
    signal?.throwIfAborted()
  }

  #tell(event: WatchEvent & { path: string }): void {
    this.#log.push(event)
    this.#changes.emit('change')
    this.hooks.onChange?.(event)
  }
}

/** Whether it has finalizers, which it outlives its deletion with. */
function isKept({ metadata: { finalizers } }: KubeObject): boolean {
  return Array.isArray(finalizers) && finalizers.length > 0
}

/** The object with the mark of the field manager that the client applies as. */
function managed(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, managedFields: [{ manager: 'vplane' }] } }
}

/** The error that an API server's refusal becomes. */
export function refusal(status: number, message: string): VplaneError {
  return toRefusal({ status, body: JSON.stringify({ message }), request: 'the request' })
}

/** Whether an object lies in a collection: in the one of its namespace, or in the one of all namespaces. */
function isIn(path: string, collection: string): boolean {
  const parent = path.slice(0, path.lastIndexOf('/'))
  return parent === collection || parent.replace(/\/namespaces\/[^/]+\//, '/') === collection
}

function fits(
  { metadata, type }: KubeObject,
  { fieldSelector = '', labelSelector = '' }: Selection,
): boolean {
  const fields = [`type=${String(type)}`, `metadata.name=${metadata.name}`]
  const wanted = fieldSelector.split(',').filter((term) => term !== '')
  const areFieldsFitting = wanted.every((term) =>
    term.includes('!=') ? !fields.includes(term.replace('!', '')) : fields.includes(term),
  )
  const terms = labelSelector.match(/[^,(]+(\([^)]*\))?/g) ?? []
  return areFieldsFitting && terms.every((term) => isLabelled(metadata.labels ?? {}, term))
}

function isLabelled(labels: Record<string, string>, term: string): boolean {
  const [, name = '', values] = /^(\S+) in \((.*)\)$/.exec(term) ?? []
  if (values !== undefined) {
    return values.split(',').includes(labels[name] ?? '')
  }
  if (term.startsWith('!')) {
    return !(term.slice(1) in labels)
  }
  const [key = '', value] = term.split('=')
  return value === undefined ? key in labels : labels[key] === value
}

/** Nobody else writes data and pod templates: what their owner leaves out is gone. */
function withOwned(result: KubeObject, { data, spec }: KubeObject): KubeObject {
  const template = isRecord(spec) ? spec['template'] : undefined
  return {
    ...result,
    ...(data === undefined ? {} : { data }),
    ...(template === undefined ? {} : { spec: { ...Object(result['spec']), template } }),
  }
}

/** RFC 7386. */
function mergePatch(target: Record<string, unknown>, patch: unknown): KubeObject {
  const result = merged(target, patch)
  if (isKubeObject(result)) {
    return result
  }
  throw new Error('the patch leaves no object')
}

function merged(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) {
    return patch
  }
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      delete result[key]
    } else {
      result[key] = merged(result[key], value)
    }
  }
  return result
}
