import type { KubeClient } from '../kube/client/client.ts'
import { byClassResource, type ClassResource, type ClassSides } from './classes/class-kinds.ts'
import { ObjectCache, type Sides } from './engine/object-cache.ts'
import { cachedEvent } from './events/host-event.ts'
import { byResource, type SyncedResource } from './scope/resources.ts'
import { cachedNode } from './nodes/virtual-node.ts'
import type { SyncContext } from './context/sync-context.ts'
import type { SyncScope } from './scope/sync-scope.ts'
import { markerSelector } from './translate/host-metadata.ts'
import { NAMESPACE_LABEL, VIRTUAL_LABEL } from './translate/markers.ts'
import { collectionPath } from '../shared/kube/collections.ts'

/** The collections that a syncer watches in the plane and on the host. */
export interface Caches extends Record<SyncedResource, Sides>, Record<ClassResource, ClassSides> {
  namespaces: ObjectCache
  nodes: SyncContext['nodes']
  events: Pick<Sides, 'host'>
  volumes: ObjectCache
}

interface OpenOptions {
  host: KubeClient
  plane: KubeClient
  now: Date
  readsNodes: boolean
  readsClasses: boolean
}

/** Creates the caches; they send no request before they run. */
export function openCaches(
  scope: SyncScope,
  { host, now, plane, readsClasses, readsNodes }: OpenOptions,
): Caches {
  const { namespace } = scope.host
  const labelSelector = `${markerSelector(scope)},${NAMESPACE_LABEL}`
  const sidesOf = (resource: SyncedResource): Sides => ({
    virtual: new ObjectCache(plane, collectionPath(resource)),
    host: new ObjectCache(host, collectionPath(resource, namespace), { labelSelector }),
  })
  const classSidesOf = (resource: ClassResource): ClassSides => ({
    virtual: new ObjectCache(plane, collectionPath(resource)),
    ...(readsClasses ? { host: new ObjectCache(host, collectionPath(resource)) } : {}),
  })
  return {
    ...byResource(sidesOf),
    ...byClassResource(classSidesOf),
    namespaces: new ObjectCache(plane, collectionPath('namespaces')),
    nodes: {
      virtual: new ObjectCache(plane, collectionPath('nodes')),
      ...(readsNodes && {
        host: new ObjectCache(host, collectionPath('nodes'), { keep: cachedNode }),
      }),
    },
    events: {
      host: new ObjectCache(host, collectionPath('events', namespace), { keep: cachedEvent(now) }),
    },
    volumes: new ObjectCache(plane, collectionPath('persistentvolumes'), {
      labelSelector: `${VIRTUAL_LABEL}=true`,
    }),
  }
}

/** All caches in one list. */
export function allCachesOf(caches: Caches): ObjectCache[] {
  return Object.values<ObjectCache | Partial<Sides>>({ ...caches })
    .flatMap((one) => (one instanceof ObjectCache ? [one] : [one.virtual, one.host]))
    .filter((one) => one !== undefined)
}
