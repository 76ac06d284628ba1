import type { KubeClient } from '../../kube/client/client.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { keyOf, type ObjectKey } from '../../kube/cache/object-key.ts'
import type { UsedResource } from './uses.ts'

/** The ConfigMaps or Secrets that the host needs, in full: of all others a syncer knows the metadata alone. */
export class UsedContents {
  readonly #plane: Pick<KubeClient, 'get'>
  readonly #resource: UsedResource
  readonly #known = new Map<ObjectKey, KubeObject>()

  constructor(plane: Pick<KubeClient, 'get'>, resource: UsedResource) {
    this.#plane = plane
    this.#resource = resource
  }

  /** Returns an object in full; undefined when it was deleted. It asks the plane only for what has changed since. */
  async read(virtual: KubeObject, signal: AbortSignal): Promise<KubeObject | undefined> {
    const { resourceVersion, uid } = virtual.metadata
    const key = keyOf(virtual)
    const known = this.#known.get(key)
    if (known?.metadata.uid === uid && known?.metadata.resourceVersion === resourceVersion) {
      return known
    }
    const path = objectPath(this.#resource, virtual.metadata)
    const current = await this.#plane.get(path, { signal })
    if (current === undefined) {
      this.#known.delete(key)
    } else {
      // No code reads them, as in the cache.
      delete current.metadata['managedFields']
      this.#known.set(key, current)
    }
    return current
  }

  forget(key: ObjectKey): void {
    this.#known.delete(key)
  }
}
