import type {
  POD_PERMISSIONS,
  SchedulerChoice,
} from '../../../control-plane/spec/fields/host-spec.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import type { OwnerReference } from '../host-metadata.ts'
import type { LabelledNamespace } from '../label-selector.ts'

export interface PodContext {
  scope: SyncScope
  /** Address and port of the plane's API, for the KUBERNETES_ variables of pods. */
  apiServer: { host: string; port: number }
  /** The plane's DNS server. @default pods use the node's DNS, as with a kubelet without cluster DNS */
  dns?: { address: string } | undefined
  clusterDomain: string
  services: readonly LinkedService[]
  /** The NetworkPolicies of its namespace, if the plane's owner has rules about the network. */
  networkPolicies: readonly KubeObject[]
  /** All virtual namespaces, for the namespace selectors of affinity. */
  namespaces: readonly LabelledNamespace[]
  cordonedNodes: readonly string[]
  /** Which scheduler assigns pods to nodes. @default host */
  scheduler?: SchedulerChoice | undefined
  policy: PodPolicy
  owner?: OwnerReference | undefined
  /** Priority classes of the host by those of the plane. */
  priorityClasses: ReadonlyMap<string, string>
  /** Runtime classes of the host that pods of the plane may use, under the same names. */
  runtimeClasses: readonly string[]
}

export interface LinkedService {
  name: string
  /** Empty or `None` if it has no address. */
  clusterIp: string
  ports: ReadonlyArray<{ name?: string | undefined; port: number; protocol: string }>
}

/**
 * What a plane may allow to pods beyond Pod Security `baseline`; each permission is a way out of a container.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */
export type PodPermission = (typeof POD_PERMISSIONS)[number]

export interface PodPolicy {
  allow: readonly PodPermission[]
  /** Drivers of the host that pods may use in volumes of type `csi`, which `baseline` does not restrict. */
  csiDrivers: readonly string[]
}

/** What Pod Security `baseline` allows. */
export const BASELINE: PodPolicy = { allow: [], csiDrivers: [] }
