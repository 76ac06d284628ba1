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

/** How a plane stands in a host namespace, with every default filled in. */
export interface HostSpec {
  preset: HostPreset
  /** The volume of each etcd member; not used by ephemeral planes, which have none. */
  storage: { className?: string; size: string }
  expose: Expose
  images: {
    registry: string
    pullSecrets: string[]
    pullPolicy: 'IfNotPresent' | 'Always' | 'Never'
  }
  pods: PodSettings
  etcd: Workload
  apiServer: Workload
  controllerManager: Workload
}
