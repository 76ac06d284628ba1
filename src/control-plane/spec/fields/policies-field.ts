import * as z from 'zod'
import { keyPatterns } from './key-patterns.ts'
import { isRange } from '../../../shared/network/ip-range.ts'
import { networkPeers } from '../network/network-peers-field.ts'
import { POD_SECURITY, SERVICE_TYPES, VOLUME_TYPES } from './policies-spec.ts'

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
    tolerations: keyPatterns('gpu')
      .optional()
      .describe(
        'Keys of taints of host nodes that pods may tolerate: "gpu", "example.com/*", or "*" for all. Those of node.kubernetes.io may always be tolerated. The default is none.',
      ),
    nodeSelector: z
      .record(z.string(), z.string())
      .optional()
      .describe('Labels of the host nodes on which pods of the control plane run.'),
    network: z
      .strictObject({
        egress: networkPeers()
          .optional()
          .describe(
            'What pods may reach in addition to pods and the API of the control plane, DNS servers and the Services in "sync.hostServices": a range of addresses such as "10.20.0.0/16", "namespace/databases" for the pods of a namespace of the host, "public" for all addresses that are not of private networks, or "*". The default is "public".',
          ),
        ingress: networkPeers()
          .optional()
          .describe(
            'Who may reach pods in addition to the pods and kube-apiserver of the control plane, and to those that use an Ingress or a Service of type NodePort or LoadBalancer; written as egress. The default is none.',
          ),
      })
      .optional()
      .describe(
        'What the network lets pods do. NetworkPolicies of users of the control plane can only allow less.',
      ),
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
