import { isIP } from 'node:net'
import { z } from 'zod'

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
  /** Types of volumes that pods may have besides those with objects of the plane. @default all but nfs */
  volumes?: Array<(typeof VOLUME_TYPES)[number]>
  /** @default baseline */
  podSecurity?: (typeof POD_SECURITY)[number]
}

const range = z.string().refine(isRange, 'is not a range such as "10.20.0.0/16"')

/** The schema of `policies` in a user's spec. */
export const policiesField = z
  .strictObject({
    hostnames: z
      .array(
        z
          .string()
          .regex(
            /^(\*|(\*\.)?[a-z0-9]([-.a-z0-9]*[a-z0-9])?)$/,
            'is not a host name such as "shop.example.com", "*.dev.example.com" or "*"',
          ),
      )
      .optional()
      .describe(
        'Host names that Ingresses may use: "shop.example.com", "*.dev.example.com", or "*" for all and for Ingresses without one. The default is none.',
      ),
    endpoints: z
      .array(range)
      .optional()
      .describe(
        'Ranges of addresses that EndpointSlices may name in addition to those of pods of the control plane: "10.20.0.0/16". The default is none.',
      ),
    services: z
      .strictObject({
        types: z
          .array(z.enum(SERVICE_TYPES))
          .optional()
          .describe(
            'Types that Services may have in addition to ClusterIP: "NodePort". The default is none.',
          ),
        loadBalancerAddresses: z
          .array(range)
          .optional()
          .describe(
            'Ranges of addresses that a Service may ask for as loadBalancerIP: "203.0.113.0/28". The default is none.',
          ),
      })
      .optional()
      .describe('What Services may claim on the host.'),
    tolerations: z
      .array(
        z
          .string()
          .regex(/^(\*|[\w./-]+\*?)$/, 'is not a key such as "gpu", "example.com/*" or "*"'),
      )
      .optional()
      .describe(
        'Keys of taints of host nodes that pods may tolerate: "gpu", "example.com/*", or "*" for all. Those of node.kubernetes.io may always be tolerated. The default is none.',
      ),
    nodeSelector: z
      .record(z.string(), z.string())
      .optional()
      .describe('Labels of the host nodes on which pods of the control plane run.'),
    volumes: z
      .array(z.enum(VOLUME_TYPES))
      .optional()
      .describe(
        'Types of volumes that pods may have, in addition to those with objects of the control plane, such as configMap. The default is all but "nfs", which the kubelet mounts from the network of its node. "hostPath" and "csi" need permissions in "sync.pods" too.',
      ),
    podSecurity: z
      .enum(POD_SECURITY)
      .optional()
      .describe(
        'Level of Pod Security that pods must meet: "baseline", the default, or "restricted". "sync.pods.allow" makes exceptions to baseline.',
      ),
  })
  .optional()
  .describe(
    'What objects of the users of the control plane may claim on the host. Only with the kubernetes driver.',
  )

function isRange(text: string): boolean {
  const [address = '', length = ''] = text.split('/')
  const family = isIP(address)
  return family !== 0 && /^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128)
}
