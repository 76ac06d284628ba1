import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { Sides } from '../engine/sides.ts'
import { toObjectKey } from '../../kube/cache/object-key.ts'
import { byResource, type SyncedResource } from '../scope/resources.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import { parseHostName } from '../translate/host-name.ts'
import { type VirtualIdentity, virtualOf } from '../translate/host-metadata.ts'

export type KnownOnHost = Record<SyncedResource, { host: Pick<Sides['host'], 'get'> }> & {
  scope: SyncScope
}

export interface OwnHostObject {
  object: KubeObject
  identity: VirtualIdentity
}

/** The host objects of this plane with this name, of all kinds. */
export function hostObjectsNamed(known: KnownOnHost, name: string): OwnHostObject[] {
  const { scope } = known
  const key = toObjectKey({ name, namespace: scope.host.namespace })
  const objects = Object.values(byResource((resource) => known[resource].host.get(key)))
  return objects.flatMap((object) => {
    const identity = object === undefined ? undefined : virtualOf(scope, object)
    return object === undefined || identity === undefined ? [] : [{ object, identity }]
  })
}

/** The virtual name of a past, present or future host object; undefined when that does not belong to this plane. */
export function virtualNameOf(known: KnownOnHost, hostName: string): string | undefined {
  const [object] = hostObjectsNamed(known, hostName)
  return object?.identity.name ?? parseHostName(known.scope, hostName)?.name
}
