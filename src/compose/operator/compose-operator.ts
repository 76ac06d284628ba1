import type { Driver } from '../../control-plane/driver/driver.ts'
import type { Snapshots } from '../../control-plane/driver/snapshot.ts'
import type { PlaneReference } from '../../control-plane/plane/plane.ts'
import type {
  Access,
  AccessDependencies,
  AccessStore,
} from '../../control-plane/use-cases/access/access.ts'
import type { Host } from '../../drivers/kubernetes/context/context.ts'
import type { HostCluster } from '../../kube/host/open-host-cluster.ts'
import type { Environment } from '../../shared/environment.ts'
import { pathsOf } from '../../shared/paths.ts'
import type { Ui } from '../../shared/ui.ts'
import { kubernetesDriver } from '../host/kubernetes-driver.ts'
import { lazyDatabases } from '../host/lazy-databases.ts'
import { openApi } from '../host/open-api.ts'
import { createSnapshots } from '../snapshots.ts'
import { podConnections } from './pod-connections.ts'

/** What use cases depend on in the operator's pod: it has one host, no kubeconfig, and connects without tunnels. */
export interface OperatorComposition extends Omit<AccessDependencies, 'ui'> {
  driver: Driver
  /** The same for reads alone, which `seen` answers. */
  seen: Driver
  /** Connects to pods. */
  cluster: Pick<Host, 'forward'>
  snapshotsFor: (environment: Environment) => Snapshots
}

/** Connects use cases to the cluster of this pod. */
export function composeOperator(
  cluster: Pick<HostCluster, 'api' | 'context' | 'forward' | 'namespace'>,
  {
    environment,
    seen,
    ui,
  }: {
    environment: Environment
    /** Answers reads of what planes are. */
    seen: Host['api']
    ui: Pick<Ui, 'warn'>
  },
): OperatorComposition {
  const now = () => new Date()
  const { api, context, namespace } = cluster
  const host: Host = { api, context, namespace, forward: podConnections(cluster) }
  return {
    cluster: host,
    driver: kubernetesDriver({ host: async () => host, databases: lazyDatabases, now }),
    seen: kubernetesDriver({
      host: async () => ({ ...host, api: seen }),
      live: async () => host,
      now,
    }),
    accesses: accessesInMemory(),
    openApi,
    now,
    snapshotsFor: (variables) =>
      createSnapshots({
        data: pathsOf(environment).data,
        environment: variables,
        warn: (text) => ui.warn(text),
      }),
  }
}

/** Credentials end with the process, as nobody else uses them. */
function accessesInMemory(): AccessStore {
  const known = new Map<string, Access>()
  const keyOf = ({ name, namespace }: PlaneReference) => `${namespace}/${name}`
  return {
    read: async (plane) => known.get(keyOf(plane)),
    write: async (plane, access) => void known.set(keyOf(plane), access),
    remove: async (plane) => void known.delete(keyOf(plane)),
  }
}
