import { ANY_PLANE_SELECTOR } from '../../drivers/kubernetes/context/object-names.ts'
import { isReadableRecord, storedRecordOf } from '../../drivers/kubernetes/record/record-store.ts'
import { ObjectCache } from '../../kube/cache/object-cache.ts'
import { type ObjectKey, toObjectKey } from '../../kube/cache/object-key.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { PLANE_LABEL } from '../../manifests/object-names.ts'
import { collectionPath, type Resource } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { isRecordOfPlane, isStatus, printOf, WATCHED } from './watched-objects.ts'

export interface PlaneObjectsOptions {
  /** The only namespace of the planes. @default all */
  namespace?: string | undefined
  now: () => Date
}

/** A change of an object of the plane with this key. */
export type PlaneListener = (plane: ObjectKey, resource: Resource) => void

/** How many changes were seen of what a spec makes. */
export interface Changes {
  /** While an operation of vplane worked on the plane, which knows what it does. */
  own: number
  others: number
}

interface Known {
  /** By resource and name. */
  objects: Map<string, KubeObject>
  changes: Changes
  /** When changes count as those of others again, in milliseconds. */
  ownUntil: number
  /** When the last changes of others were seen, in milliseconds. */
  recent: number[]
}

/** How long an operation may take for one step, in milliseconds: one that was interrupted ends at no time. */
const STEP_MS = 600_000

/** How much earlier or later one watch may tell of an operation than another one, in milliseconds. */
const LATE_MS = 2000

/** The objects of all planes on a host, as watches show them. Readers must not change them. */
export class PlaneObjects {
  readonly #now: () => Date
  readonly #caches: readonly ObjectCache[]
  readonly #planes = new Map<ObjectKey, Known>()
  readonly #listeners: PlaneListener[] = []

  constructor(host: Pick<KubeClient, 'watch'>, { namespace, now }: PlaneObjectsOptions) {
    this.#now = now
    this.#caches = WATCHED.map(({ resource, ...selection }) => {
      const options = { labelSelector: ANY_PLANE_SELECTOR, ...selection }
      const cache = new ObjectCache(host, collectionPath(resource, namespace), options)
      cache.onChange((object, isGone) => this.#update(resource, object, isGone))
      return cache
    })
  }

  /** Fulfilled when all objects that existed at the start are known. */
  async listed(): Promise<void> {
    await Promise.all(this.#caches.map((cache) => cache.listed))
  }

  /** Calls the listener for every later change. */
  onChange(listener: PlaneListener): void {
    this.#listeners.push(listener)
  }

  /** The keys of the planes that have objects. */
  keys(): Iterable<ObjectKey> {
    return this.#planes.keys()
  }

  /** An object of a plane; of most Secrets and ConfigMaps only its metadata. */
  get(plane: ObjectKey, resource: Resource, name: string): KubeObject | undefined {
    return this.#planes.get(plane)?.objects.get(`${resource} ${name}`)
  }

  /** The objects of a plane of one resource. */
  list(plane: ObjectKey, resource: Resource): KubeObject[] {
    const objects = this.#planes.get(plane)?.objects ?? []
    return [...objects].flatMap(([key, object]) => (key.startsWith(`${resource} `) ? object : []))
  }

  changesOf(plane: ObjectKey): Changes {
    return { own: 0, others: 0, ...this.#planes.get(plane)?.changes }
  }

  /** Watches until the signal fires, and throws its reason. @throws {VplaneError} `FAILED` when access is denied. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#caches.map((cache) => cache.run(signal)))
  }

  #update(resource: Resource, object: KubeObject, isGone: boolean): void {
    const { labels, name = '', namespace } = object.metadata
    const plane = toObjectKey({ name: labels?.[PLANE_LABEL] ?? '', namespace })
    const known = this.#planes.get(plane) ?? newPlane()
    this.#planes.set(plane, known)
    const key = `${resource} ${name}`
    const former = known.objects.get(key)
    if (isGone) {
      known.objects.delete(key)
    } else {
      known.objects.set(key, object)
    }
    if (isRecordOfPlane(object)) {
      this.#noteOperation(known, object)
    } else if (resource !== 'pods' && !isStatus(object)) {
      const isSame = !isGone && former !== undefined && printOf(former) === printOf(object)
      this.#count(known, isSame ? 0 : 1)
    }
    if (known.objects.size === 0) {
      this.#planes.delete(plane)
    }
    for (const listener of this.#listeners) {
      listener(plane, resource)
    }
  }

  #count(known: Known, changes: 0 | 1): void {
    const now = this.#now().getTime()
    known.recent = known.recent.filter((at) => now - at < LATE_MS)
    if (now < known.ownUntil) {
      known.changes.own += changes
    } else if (changes === 1) {
      known.changes.others += 1
      known.recent.push(now)
    }
  }

  #noteOperation(known: Known, secret: KubeObject): void {
    const stored = storedRecordOf(secret)
    const journal = stored && isReadableRecord(stored) ? stored.record.journal : undefined
    if (journal === undefined) {
      known.ownUntil = Math.min(known.ownUntil, this.#now().getTime() + LATE_MS)
      return
    }
    this.#count(known, 0)
    const { length: own } = known.recent
    const { changes } = known
    known.changes = { own: changes.own + own, others: changes.others - own }
    known.recent = []
    known.ownUntil = Date.parse(journal.at) + STEP_MS
  }
}

function newPlane(): Known {
  return { objects: new Map(), changes: { own: 0, others: 0 }, ownUntil: 0, recent: [] }
}
