import type { KubeClient } from '../../kube/client/client.ts'
import { objectName } from '../../manifests/object-names.ts'
import { textAt } from '../../shared/json-fields.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { HostClasses } from '../classes/offered-classes.ts'
import type { ObjectCache } from '../../kube/cache/object-cache.ts'
import type { Sides } from '../engine/sides.ts'
import type { Asking, Reporter } from '../events/reporter.ts'
import type { HostObjects } from '../host-objects/host-objects.ts'
import type { SyncedResource } from '../scope/resources.ts'
import type { SyncerSettings } from '../scope/settings.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import type { OwnerReference } from '../translate/host-metadata.ts'
import { BASELINE, type PodContext } from '../translate/pod-draft/pod-context.ts'
import type { HostPod, RefusedPod } from '../translate/pods/to-host-pod.ts'

/** What the host objects of a plane have in common. */
export interface Surroundings extends Omit<
  PodContext,
  'cordonedNodes' | 'namespaces' | 'networkPolicies' | 'services' | keyof HostClasses
> {
  /** The owner of all host objects except claims: the host deletes them together with it. */
  owner: OwnerReference
}

/** What every reconcile uses: the plane's scope, clients of both API servers, and caches of their objects. */
export interface SyncContext extends Record<SyncedResource, Sides> {
  scope: SyncScope
  plane: KubeClient
  host: KubeClient
  now: () => Date
  settled: HostObjects['settled']
  unreadable: Asking['unreadable']
  namespaces: ObjectCache
  /** All nodes of the plane, and those of the host if the syncer may read them. */
  nodes: Pick<Sides, 'virtual'> & Partial<Sides>
  volumes: ObjectCache
  surroundings: Surroundings
  hostClasses: () => HostClasses
  /** Translates a virtual pod with the current state of what its translation depends on. */
  translatePod: (virtual: KubeObject) => HostPod | RefusedPod
  reporter: Reporter
}

interface SurroundingsOptions {
  scope: SyncScope
  settings: Pick<SyncerSettings, 'clusterDomain' | 'rules'>
  signal: AbortSignal
}

/** Reads them from the host. @throws {Error} when the Service of the endpoint or of the DNS server has no address. */
export async function readSurroundings(
  host: Pick<KubeClient, 'get'>,
  { scope, settings, signal }: SurroundingsOptions,
): Promise<Surroundings> {
  const read = (suffix: 'api' | 'dns') =>
    readAddress(host, { scope, name: objectName(scope.plane, suffix), signal })
  const [endpoint, dns] = await Promise.all([read('api'), read('dns')])
  return {
    scope,
    apiServer: { host: endpoint.address, port: 443 },
    dns: { address: dns.address },
    clusterDomain: settings.clusterDomain,
    policy: settings.rules.pods ?? BASELINE,
    scheduler: settings.rules.scheduler,
    owner: { apiVersion: 'v1', kind: 'Service', name: endpoint.name, uid: endpoint.uid },
  }
}

async function readAddress(
  host: Pick<KubeClient, 'get'>,
  { name, scope, signal }: { name: string; scope: SyncScope; signal: AbortSignal },
): Promise<{ name: string; uid: string; address: string }> {
  const path = objectPath('services', { name, namespace: scope.host.namespace })
  const service = await host.get(path, { signal })
  const address = textAt(service, 'spec', 'clusterIP')
  if (address === undefined) {
    throw new Error(`Service "${name}" has no address`)
  }
  return { name, address, uid: service?.metadata.uid ?? '' }
}
