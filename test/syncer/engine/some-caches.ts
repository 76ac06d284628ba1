import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { ObjectCache } from '../../../src/kube/cache/object-cache.ts'
import { inBackground } from '../../support/in-background.ts'

/** A cache with these objects, which stay as they are. */
export async function cacheOf(...objects: Array<KubeObject | undefined>): Promise<ObjectCache> {
  const present = objects.filter((object) => object !== undefined)
  const watch = async function* () {
    yield* present.map((object) => ({ type: 'ADDED' as const, object: structuredClone(object) }))
  }
  const cache = new ObjectCache({ watch }, '')
  await cache.run(AbortSignal.timeout(5000)).catch(() => {})
  return cache
}

/** Lets caches follow their APIs until the test has ended. */
export function follow(...caches: ObjectCache[]): void {
  caches.forEach((cache) => inBackground((signal) => cache.run(signal).catch(() => {})))
}
