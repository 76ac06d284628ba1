import { isLeaving, type KubeObject } from '../../shared/kube/kube-object.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { textAt } from '../../shared/json-fields.ts'
import { type ObjectCache, createOrChange } from '../../kube/cache/object-cache.ts'
import type { Sides } from '../engine/sides.ts'
import { keyOf, type ObjectKey, toObjectKey } from '../../kube/cache/object-key.ts'
import { SyncLoop, type SyncLoopOptions } from '../engine/sync-loop.ts'
import {
  hostObjectsNamed,
  type OwnHostObject,
  virtualNameOf,
} from '../host-objects/host-objects-named.ts'
import { byResource, type SyncedResource } from '../scope/resources.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import { involvedOf, shownVersions, toVirtualEvent } from './host-event.ts'
import { collectionPath } from '../../shared/kube/collections.ts'

export interface EventContext extends Record<SyncedResource, Pick<Sides, 'host'>> {
  scope: SyncScope
  namespaces: Pick<ObjectCache, 'get'>
  plane: Pick<KubeClient, 'list' | 'create' | 'patch'>
  events: Pick<Sides, 'host'>
}

/** Copies the host's Events about this plane's objects to the plane, each to one Event with the same count. */
export function eventLoop(
  context: EventContext,
  { onError }: Pick<SyncLoopOptions, 'onError'>,
): SyncLoop {
  const { events, namespaces, plane } = context
  /** The copied Events, each with its version. */
  const shown = new Map<ObjectKey, string | undefined>()
  /** The Events of unknown objects, with their UIDs: of other planes, or not in their cache yet. */
  const early = new Map<ObjectKey, string | undefined>()
  /** A new syncer shows none again that an earlier one has shown; without the list, it shows all of them again. */
  const readShown = async (signal: AbortSignal) => {
    const versions = await shownVersions(plane, signal).catch(() => new Map<string, string>())
    for (const event of events.host.values()) {
      const version = versions.get(event.metadata.uid ?? '')
      if (version !== undefined) {
        shown.set(keyOf(event), version)
      }
    }
  }
  let reading: Promise<void> | undefined
  const sync = async (key: ObjectKey, signal: AbortSignal) => {
    await (reading ??= readShown(signal))
    const event = events.host.get(key)
    const object = event === undefined ? undefined : objectOf(context, event)
    early.delete(key)
    if (event === undefined) {
      shown.delete(key)
    } else if (object === undefined) {
      early.set(key, textAt(involvedOf(event), 'uid'))
    } else if (shown.get(key) !== event.metadata.resourceVersion) {
      const namespace = namespaces.get(toObjectKey({ name: object.identity.namespace ?? '' }))
      if (namespace === undefined || !isLeaving(namespace)) {
        const virtual = toVirtualEvent(event, object, (name) => virtualNameOf(context, name))
        await show(plane, { virtual, isShown: shown.has(key) }, signal)
      }
      shown.set(key, event.metadata.resourceVersion)
    }
  }
  const loop = new SyncLoop({
    sides: events,
    keyOfHost: keyOf,
    sync,
    check: sync,
    onError,
    // Few, since many events of the host must not slow down the plane.
    workers: 2,
  })
  for (const { host } of Object.values(byResource((resource) => context[resource]))) {
    host.onChange(({ metadata: { uid } }) =>
      early.forEach((about, key) => about === uid && loop.add(key)),
    )
  }
  loop.compareAll()
  return loop
}

function objectOf(context: EventContext, event: KubeObject): OwnHostObject | undefined {
  const { kind, name, uid } = involvedOf(event)
  return hostObjectsNamed(context, String(name)).find(
    ({ object }) => object.kind === kind && object.metadata.uid === uid,
  )
}

/** Creates or updates an Event: an earlier syncer may have created it, or kube-apiserver may have deleted it. */
async function show(
  plane: EventContext['plane'],
  { isShown, virtual }: { virtual: KubeObject; isShown: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { involvedObject: _, metadata, ...fields } = virtual
  const { annotations, labels, name, namespace } = metadata
  const collection = collectionPath('events', namespace)
  const create = () => plane.create(collection, virtual, { signal })
  const change = () => {
    const patch = { ...fields, metadata: { annotations, labels } }
    return plane.patch(`${collection}/${name}`, patch, { type: 'merge', signal })
  }
  await createOrChange({ create, change }, { isKnown: isShown })
}
