import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { Sides } from '../engine/object-cache.ts'
import { toObjectKey } from '../scope/object-key.ts'
import { byResource, type SyncedResource } from '../scope/resources.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import { parseHostName } from '../translate/host-name.ts'
import { type VirtualIdentity, virtualOf } from '../translate/virtual-of.ts'

/** What is known of the host's objects. */
export type KnownOnHost = Record<SyncedResource, { host: Pick<Sides['host'], 'get'> }> & {
  scope: SyncScope
}

/** A host object, and what it was made of. */
export interface OwnHostObject {
  object: KubeObject
  identity: VirtualIdentity
}

/** The objects of this plane that have a name on the host, of all kinds. */
export function hostObjectsNamed(known: KnownOnHost, name: string): OwnHostObject[] {
  const { scope } = known
  const key = toObjectKey({ name, namespace: scope.host.namespace })
  return Object.values(byResource((resource) => known[resource].host.get(key))).flatMap(
    (object) => {
      const identity = object === undefined ? undefined : virtualOf(scope, object)
      return object === undefined || identity === undefined ? [] : [{ object, identity }]
    },
  )
}

/** The virtual name of what has a name on the host, or had or is to have it; undefined when that is not of this plane. */
export function virtualNameOf(known: KnownOnHost, hostName: string): string | undefined {
  const [object] = hostObjectsNamed(known, hostName)
  return object?.identity.name ?? parseHostName(known.scope, hostName)?.name
}
