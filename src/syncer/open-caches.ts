import type { KubeClient } from '../kube/client/client.ts'
import { byClassResource, type ClassResource, type ClassSides } from './classes/class-kinds.ts'
import { ObjectCache, type Sides } from './engine/object-cache.ts'
import { cachedEvent } from './events/host-event.ts'
import { byResource, type SyncedResource } from './scope/resources.ts'
import { cachedNode } from './nodes/host-node.ts'
import type { SyncContext } from './context/sync-context.ts'
import type { SyncScope } from './scope/sync-scope.ts'
import { markerSelector } from './translate/host-metadata.ts'
import { NAMESPACE_LABEL } from './translate/markers.ts'
import { VIRTUAL_LABEL } from './translate/virtual-label.ts'
import { collectionPath } from '../shared/kube/collections.ts'

/** The collections that a syncer follows, on both sides. */
export interface Caches extends Record<SyncedResource, Sides>, Record<ClassResource, ClassSides> {
  namespaces: ObjectCache
  nodes: SyncContext['nodes']
  events: Pick<Sides, 'host'>
  /** Those that stand for volumes of the host. */
  volumes: ObjectCache
}

interface OpenOptions {
  host: KubeClient
  plane: KubeClient
  now: Date
  /** Whether the host's nodes may be read. */
  readsNodes: boolean
  /** Whether its classes may be read. */
  readsClasses: boolean
}

/** Names the collections; nothing is asked before they are run. */
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
      ...(readsNodes
        ? { host: new ObjectCache(host, collectionPath('nodes'), { keep: cachedNode }) }
        : {}),
    },
    events: {
      host: new ObjectCache(host, collectionPath('events', namespace), {
        keep: cachedEvent(now),
      }),
    },
    volumes: new ObjectCache(plane, collectionPath('persistentvolumes'), {
      labelSelector: `${VIRTUAL_LABEL}=true`,
    }),
  }
}

/** All collections of these. */
export function allCachesOf(caches: Caches): ObjectCache[] {
  return Object.values<ObjectCache | Partial<Sides>>({ ...caches })
    .flatMap((one) => (one instanceof ObjectCache ? [one] : [one.virtual, one.host]))
    .filter((one) => one !== undefined)
}
