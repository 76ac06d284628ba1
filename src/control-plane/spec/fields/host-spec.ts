import type { PodTemplate } from './workload-fields.ts'
import type { Policies } from './policies-spec.ts'

export type HostPreset = 'nano' | 'small' | 'ha'

export interface Workload {
  replicas: number
  /** Quantities by resource name, such as `memory: 256Mi`. */
  resources: { requests: Record<string, string>; limits: Record<string, string> }
}

/** A program of Kubernetes, or etcd. */
export interface ComponentWorkload extends Workload {
  /** What its pods have in addition. @default nothing */
  podTemplate?: PodTemplate
}

export interface Expose {
  type: 'none' | 'node-port' | 'load-balancer' | 'ingress'
  host?: string
  ingressClassName?: string
  nodePort?: number
  annotations: Record<string, string>
}

export interface PodSettings {
  nodeSelector: Record<string, string>
  tolerations: Array<Record<string, unknown>>
  /** Replaces the affinity of the preset. */
  affinity?: Record<string, unknown>
  priorityClassName?: string
  labels: Record<string, string>
  annotations: Record<string, string>
}

/** Permissions that a pod of a plane can have in addition to Pod Security `baseline`. */
export const POD_PERMISSIONS = [
  'appArmor',
  'capabilities',
  'hostIPC',
  'hostNetwork',
  'hostPID',
  'hostPath',
  'hostPorts',
  'hostProbes',
  'hostProcess',
  'privileged',
  'procMount',
  'seLinux',
  'seccomp',
  'sysctls',
] as const

/** The kinds of objects of a plane that its owner can keep off the host. */
export const OPTIONAL_KINDS = [
  'endpointSlices',
  'ingresses',
  'networkPolicies',
  'podDisruptionBudgets',
] as const

/** The resource of each of these kinds. */
export const OPTIONAL_RESOURCES = {
  endpointSlices: 'endpointslices',
  ingresses: 'ingresses',
  networkPolicies: 'networkpolicies',
  podDisruptionBudgets: 'poddisruptionbudgets',
} as const satisfies Record<(typeof OPTIONAL_KINDS)[number], string>

export interface SyncedPodRules {
  allow: Array<(typeof POD_PERMISSIONS)[number]>
  /** CSI drivers of the host that pods may use in volumes of type `csi`. */
  csiDrivers: string[]
}

export type SchedulerChoice = 'host' | 'virtual'

export interface SyncSpec extends Workload {
  image: string
  /** @default what Pod Security `baseline` allows */
  pods?: SyncedPodRules
  /** Kinds that are not synced, with `false`. @default all are */
  kinds?: Partial<Record<(typeof OPTIONAL_KINDS)[number], boolean>>
  /** Label keys that host objects keep; others are renamed: `app`, `example.com/*`, `*`. @default all (planes of vplane 0.1.0) */
  labels?: string[]
  /** Annotation keys that host objects keep besides harmless ones, written as `labels`. @default most (planes of vplane 0.1.0) */
  annotations?: string[]
  /** Runtime classes of the host that pods may use. @default none */
  runtimeClasses?: string[]
  /** Storage classes of the host that claims may use, in addition to its default class. @default none */
  storageClasses?: string[]
  /** Ingress classes of the host that ingresses may use, in addition to its default class. @default none */
  ingressClasses?: string[]
  /** Priority classes of the host, each by the name of the plane's class that it represents. @default none */
  priorityClasses?: Record<string, string>
  /** Whether the plane's nodes show those of the host. @default they are generated */
  nodes?: boolean
  /** @default host */
  scheduler?: SchedulerChoice
  /** Whether the plane has the host's storage, ingress, runtime and priority classes. @default false */
  classes?: boolean
  dnsImage: string
  /**
   * Whether the syncer may write endpoint slices, add containers to running pods and resize pods. On most hosts the
   * admin of a namespace cannot grant this. @default whether the user who creates the plane can grant it
   */
  extraRights?: boolean
  /** Whether the plane has the host's metrics of its pods. @default whether the user who creates the plane can grant it */
  metrics?: boolean
  /** Services of the host by their names in the plane, each as `service.namespace`. @default none */
  hostServices?: Record<string, string>
  /** DNS domain of the host's Services. @default cluster.local */
  hostClusterDomain?: string
  /** Range of the host's cluster IPs, which Services of the plane share. @default detected when the plane is created */
  serviceRange?: string
}

export interface KeeperSpec extends Workload {
  image: string
}

/** The ServiceMonitors of a plane, by which a Prometheus finds what to scrape. */
export interface MonitorSpec {
  labels: Record<string, string>
}

export interface HostSpec {
  preset: HostPreset
  /** The volume of each etcd member, or of kine; ephemeral planes have none. */
  storage: { className?: string; size: string }
  expose: Expose
  images: {
    registry: string
    /** Image with Node.js for vplane's own programs for which the spec names no image. @default HELPER_IMAGE */
    helper?: string
    /** Image of kine. @default that of kine's project, of the plane's release of kine */
    kine?: string
    pullSecrets: string[]
    pullPolicy: 'IfNotPresent' | 'Always' | 'Never'
  }
  pods: PodSettings
  /** The pod of what the plane has instead of etcd. @default it has etcd */
  store?: Workload
  /** `compactHashCheck`: its members compare their data at compactions. @default they do not (planes of vplane 0.1.0) */
  etcd: ComponentWorkload & { compactHashCheck?: true }
  /** `egress`: what its pods may reach besides the plane's own, as `policies.network.egress`. @default everything (planes of vplane 0.1.0) */
  apiServer: ComponentWorkload & { egress?: string[] }
  controllerManager: ComponentWorkload
  /** @default the plane runs no pods */
  sync?: SyncSpec
  /** @default everything is allowed (planes of vplane 0.1.0) */
  policies?: Policies
  /** @default the plane does not have its own scheduler */
  scheduler?: ComponentWorkload
  /** @default the plane has no ServiceMonitors */
  monitor?: MonitorSpec
  /** @default the plane does not need one */
  keeper?: KeeperSpec
}
