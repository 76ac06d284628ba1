import type { ObjectCache } from '../../kube/cache/object-cache.ts'

/** The caches of one kind. */
export interface Sides {
  virtual: ObjectCache
  /** Only objects with the markers of this plane. */
  host: ObjectCache
}
