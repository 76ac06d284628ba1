import { once } from 'node:events'
import type { KubeClient } from '../kube/client/client.ts'
import { byClassResource, type ClassResource, type ClassSides } from './classes/class-kinds.ts'
import { type CacheOptions, ObjectCache } from '../kube/cache/object-cache.ts'
import { keyOf } from '../kube/cache/object-key.ts'
import type { Sides } from './engine/sides.ts'
import { cachedEvent } from './events/host-event.ts'
import { byResource, isOptional, isSynced, type SyncedResource } from './scope/resources.ts'
import type { Rules } from './scope/settings.ts'
import { cachedNode } from './nodes/virtual-node.ts'
import { cachedHostPod } from './pods/cached-host-pod.ts'
import { cachedHostSecret } from './pods/ensure-tokens.ts'
import type { SyncContext } from './context/sync-context.ts'
import type { KubeObject } from '../shared/kube/kube-object.ts'
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
  rules: Rules
  onError: (what: string, error: unknown) => void
}

/** Creates the caches; they send no request before they run. */
export function openCaches(
  scope: SyncScope,
  { host, now, onError, plane, rules }: OpenOptions,
): Caches {
  const { namespace } = scope.host
  const cacheOf = (client: Pick<KubeClient, 'watch'>, path: string, options: CacheOptions = {}) =>
    new ObjectCache(client, path, {
      ...options,
      onListenerError: (object, error) => onError(`${object.kind} "${keyOf(object)}"`, error),
    })
  const labelSelector = `${markerSelector(scope)},${NAMESPACE_LABEL}`
  const sidesOf = (resource: SyncedResource): Sides => {
    const isOn = isSynced(rules, resource)
    // Without the right the other kinds are synced all the same.
    const onDenied = (error: unknown) => onError(`${resource} are not synced`, error)
    const keep = KEPT[resource]
    const options = {
      labelSelector,
      ...(keep && { keep }),
      ...(isOptional(resource) && { onDenied }),
    }
    return {
      virtual: cacheOf(isOn ? plane : NOTHING, collectionPath(resource), {
        metadataOnly: resource === 'configmaps' || resource === 'secrets',
      }),
      host: cacheOf(isOn ? host : NOTHING, collectionPath(resource, namespace), options),
    }
  }
  const classSidesOf = (resource: ClassResource): ClassSides => ({
    virtual: cacheOf(plane, collectionPath(resource)),
    ...(rules.classes === true ? { host: cacheOf(host, collectionPath(resource)) } : {}),
  })
  return {
    ...byResource(sidesOf),
    ...byClassResource(classSidesOf),
    namespaces: cacheOf(plane, collectionPath('namespaces')),
    nodes: {
      virtual: cacheOf(plane, collectionPath('nodes')),
      ...(rules.nodes === true && {
        host: cacheOf(host, collectionPath('nodes'), { keep: cachedNode }),
      }),
    },
    events: {
      host: cacheOf(host, collectionPath('events', namespace), { keep: cachedEvent(now) }),
    },
    volumes: cacheOf(plane, collectionPath('persistentvolumes'), {
      labelSelector: `${VIRTUAL_LABEL}=true`,
    }),
  }
}

/** The part of host objects that is cached, of kinds that are mostly many. @default the whole object */
const KEPT: Partial<Record<SyncedResource, (object: KubeObject) => KubeObject>> = {
  pods: cachedHostPod,
  secrets: cachedHostSecret,
}

/** An API server without objects, in place of one that is not asked. */
const NOTHING: Pick<KubeClient, 'watch'> = {
  // oxlint-disable-next-line require-yield -- it has nothing
  watch: async function* (_, { onListed, signal }) {
    onListed?.()
    await once(signal, 'abort')
    signal.throwIfAborted()
  },
}

/** All caches in one list. */
export function allCachesOf(caches: Caches): ObjectCache[] {
  return Object.values<ObjectCache | Partial<Sides>>({ ...caches })
    .flatMap((one) => (one instanceof ObjectCache ? [one] : [one.virtual, one.host]))
    .filter((one) => one !== undefined)
}
