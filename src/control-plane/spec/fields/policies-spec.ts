/** Types of Services that reach beyond the plane, which its owner can allow. */
export const SERVICE_TYPES = ['LoadBalancer', 'NodePort'] as const

/** Levels of Pod Security that a plane's owner can demand. */
export const POD_SECURITY = ['baseline', 'restricted'] as const

/** Types of volumes that hold more than objects of the plane, which its owner can allow. */
export const VOLUME_TYPES = [
  'csi',
  'emptyDir',
  'ephemeral',
  'hostPath',
  'image',
  'nfs',
  'persistentVolumeClaim',
] as const

/** What objects of a plane's users may claim on the host. */
export interface Policies {
  /** Names that Ingresses may serve: `shop.example.com`, `*.dev.example.com`, `*` for all. */
  hostnames: string[]
  /** Ranges of addresses that endpoints of Services may have besides those of the plane's own pods. */
  endpoints: string[]
  services: {
    types: Array<(typeof SERVICE_TYPES)[number]>
    /** Ranges of addresses that a load balancer may ask for. */
    loadBalancerAddresses: string[]
  }
  /** Keys of taints of the host's nodes that pods may tolerate, as `example.com/*`, besides those of `node.kubernetes.io/`. */
  tolerations: string[]
  /** Labels of the nodes on which pods run. @default all nodes */
  nodeSelector?: Record<string, string>
  /** Peers of pods besides those of their own plane: a range, `public`, `namespace/NAME`, `*`. @default no rules (planes of vplane 0.1.0) */
  network?: { egress: string[]; ingress: string[] }
  /** Types of volumes that pods may have besides those with objects of the plane. @default all but nfs */
  volumes?: Array<(typeof VOLUME_TYPES)[number]>
  /** @default baseline */
  podSecurity?: (typeof POD_SECURITY)[number]
}
