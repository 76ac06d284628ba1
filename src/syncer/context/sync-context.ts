import type { KubeClient } from '../../kube/client/client.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { HostClasses } from '../classes/offered-classes.ts'
import type { ObjectCache, Sides } from '../engine/object-cache.ts'
import type { Reporter } from '../events/reporter.ts'
import type { HostObjects } from '../host-objects/host-objects.ts'
import type { SyncedResource } from '../scope/resources.ts'
import type { Surroundings } from './surroundings.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import type { HostPod } from '../translate/pods/to-host-pod.ts'
import type { Refusal } from '../translate/refusal.ts'

/** What every reconcile uses: the plane's scope, clients of both API servers, and caches of their objects. */
export interface SyncContext extends Record<SyncedResource, Sides> {
  scope: SyncScope
  plane: KubeClient
  host: KubeClient
  now: () => Date
  settled: HostObjects['settled']
  /** The plane's namespaces. */
  namespaces: ObjectCache
  /** All nodes of the plane, and those of the host if the syncer may read them. */
  nodes: Pick<Sides, 'virtual'> & Partial<Sides>
  /** The volumes of the plane that represent volumes of the host. */
  volumes: ObjectCache
  surroundings: Surroundings
  /** The current classes of the host by those of the plane. */
  hostClasses: () => HostClasses
  /** Translates a virtual pod with the current state of what its translation depends on. */
  translatePod: (virtual: KubeObject) => HostPod | Refusal
  /** Reports in the plane why an object cannot be synced. */
  reporter: Reporter
}
