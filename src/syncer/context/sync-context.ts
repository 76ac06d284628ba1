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

/** What every reconcile has: whom it works for, both API servers, and what is known of them. */
export interface SyncContext extends Record<SyncedResource, Sides> {
  scope: SyncScope
  plane: KubeClient
  host: KubeClient
  now: () => Date
  settled: HostObjects['settled']
  /** The plane's namespaces. */
  namespaces: ObjectCache
  /** Those of the host where they may be read: all of them. */
  nodes: Pick<Sides, 'virtual'> & Partial<Sides>
  /** Its volumes that stand for those of the host. */
  volumes: ObjectCache
  surroundings: Surroundings
  /** Which classes of the host those of the plane stand for now. */
  hostClasses: () => HostClasses
  /** What a virtual pod is on the host, as everything is now. */
  translatePod: (virtual: KubeObject) => HostPod | Refusal
  /** Says in the plane what keeps an object from being as it should be. */
  reporter: Reporter
}
