import type { SchedulerChoice } from '../../../control-plane/spec/fields/host-spec.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import type { OwnerReference } from '../host-metadata.ts'
import type { LabelledNamespace } from '../label-selector.ts'
import type { PodPolicy } from './pod-policy.ts'

/** What a pod becomes on the host beside what it says itself. */
export interface PodContext {
  scope: SyncScope
  /** Where pods find the plane's API: an address and a port, for their KUBERNETES_ variables. */
  apiServer: { host: string; port: number }
  /** The plane's DNS server. Without one, pods that want it get the node's, as from a kubelet that knows none. */
  dns?: { address: string } | undefined
  clusterDomain: string
  /** Services of the pod's virtual namespace, as far as service links tell of them. */
  services: readonly LinkedService[]
  /** All virtual namespaces, for the namespace selectors of affinity. */
  namespaces: readonly LabelledNamespace[]
  /** Nodes that are to get no new pods. */
  cordonedNodes: readonly string[]
  /** Who chooses the nodes of pods. @default host */
  scheduler?: SchedulerChoice | undefined
  policy: PodPolicy
  owner?: OwnerReference | undefined
  /** ServiceAccount of the host that pods run as, without a token of it; the namespace's default one otherwise. */
  serviceAccountName?: string | undefined
  /** Priority classes of the host by those of the plane that stand for them. */
  priorityClasses: ReadonlyMap<string, string>
  /** Runtime classes of the host that pods of the plane may use, under the same names. */
  runtimeClasses: readonly string[]
}

export interface LinkedService {
  name: string
  /** Empty or `None` where it has no address. */
  clusterIp: string
  ports: ReadonlyArray<{ name?: string | undefined; port: number; protocol: string }>
}
