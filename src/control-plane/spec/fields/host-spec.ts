export type HostPreset = 'nano' | 'small' | 'ha'

/** How many pods of a component there are, and what each asks for and may use. */
export interface Workload {
  replicas: number
  /** Quantities by the name of the resource, such as `memory: 256Mi`. */
  resources: { requests: Record<string, string>; limits: Record<string, string> }
}

/** How the API of a plane is reached without a tunnel. */
export interface Expose {
  type: 'none' | 'node-port' | 'load-balancer' | 'ingress'
  /** Name that clients use. */
  host?: string
  ingressClassName?: string
  nodePort?: number
  /** Of the Service, or of the Ingress. */
  annotations: Record<string, string>
}

/** What all pods of a plane have. */
export interface PodSettings {
  nodeSelector: Record<string, string>
  tolerations: Array<Record<string, unknown>>
  /** Takes the place of the preset's. */
  affinity?: Record<string, unknown>
  priorityClassName?: string
  labels: Record<string, string>
  annotations: Record<string, string>
}

/** What a pod of a plane may have beyond what Pod Security `baseline` gives everybody. */
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

/** What the pods of a plane may do on its host cluster. */
export interface SyncedPodRules {
  allow: Array<(typeof POD_PERMISSIONS)[number]>
  /** Drivers of the host that pods may use in volumes of type `csi`. */
  csiDrivers: string[]
}

/** Who chooses the nodes of a plane's pods: the scheduler of its host, or one of its own. */
export type SchedulerChoice = 'host' | 'virtual'

/** How the pods of a plane run on its host cluster. */
export interface SyncSpec extends Workload {
  /** Image with Node.js that runs the syncer. */
  image: string
  /** @default what Pod Security `baseline` allows */
  pods?: SyncedPodRules
  /** Runtime classes of the host that pods may use. @default none */
  runtimeClasses?: string[]
  /** Storage classes of the host that claims may name, besides its default one. @default none */
  storageClasses?: string[]
  /** Ingress classes of the host that ingresses may name, besides its default one. @default none */
  ingressClasses?: string[]
  /** Priority classes of the host by those of the plane that stand for them. @default none */
  priorityClasses?: Record<string, string>
  /** Whether the plane's nodes are like those of the host. @default they are made up */
  nodes?: boolean
  /** @default host */
  scheduler?: SchedulerChoice
  /** Whether the plane has the host's storage, ingress, runtime and priority classes. @default it has none of them */
  classes?: boolean
  /** Image of the plane's DNS server. */
  dnsImage: string
  /**
   * Whether the syncer may write endpoint slices, and add containers to running pods and resize them, which a
   * namespace's admin may not grant on most hosts. @default whether who makes the plane may grant it
   */
  extraRights?: boolean
  /** Whether the plane has the host's metrics of its pods. @default whether who makes the plane may grant that */
  metrics?: boolean
  /** Services of the host by their names in the plane, each as `service.namespace`. @default none */
  hostServices?: Record<string, string>
  /** What names of the host's Services end with. @default cluster.local */
  hostClusterDomain?: string
  /** Range of the host's cluster IPs, which Services of the plane share. @default learnt when the plane is made */
  serviceRange?: string
}

/** What looks after a plane while no command runs. */
export interface KeeperSpec extends Workload {
  /** Image with Node.js that runs it. */
  image: string
}

/** ServiceMonitors of a plane, by which a Prometheus finds what to scrape. */
export interface MonitorSpec {
  labels: Record<string, string>
}

/** How a plane stands in a host namespace, with every default filled in. */
export interface HostSpec {
  preset: HostPreset
  /** The volume of each etcd member; not used by ephemeral planes, which have none. */
  storage: { className?: string; size: string }
  expose: Expose
  images: {
    registry: string
    /** Image with Node.js that runs what is ours, unless something else is said of the part. @default HELPER_IMAGE */
    helper?: string
    pullSecrets: string[]
    pullPolicy: 'IfNotPresent' | 'Always' | 'Never'
  }
  pods: PodSettings
  etcd: Workload
  apiServer: Workload
  controllerManager: Workload
  /** @default the plane runs no pods */
  sync?: SyncSpec
  /** @default the plane has no scheduler of its own */
  scheduler?: Workload
  /** @default nobody is told to scrape it */
  monitor?: MonitorSpec
  /** @default nothing of the plane needs one */
  keeper?: KeeperSpec
}
