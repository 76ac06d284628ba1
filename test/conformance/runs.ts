import { POD_PERMISSIONS } from '../../src/control-plane/spec/fields/host-spec.ts'

/** How the planes under test are created: with the defaults, and with all that their owner may open. */
export const RUNS = {
  a: ['--sync'],
  b: [
    '--sync-nodes',
    '--sync-classes',
    '--set',
    `sync.pods.allow=[${POD_PERMISSIONS.join(', ')}]`,
    '--set',
    'sync.labels=["*"]',
    '--set',
    'policies.services.types=[NodePort, LoadBalancer]',
    '--set',
    'policies.endpoints=[0.0.0.0/0]',
    '--set',
    'policies.network={egress: ["*"], ingress: ["*"]}',
    '--set',
    'policies.hostnames=["*"]',
    '--set',
    'policies.tolerations=["*"]',
  ],
} as const

export type RunName = keyof typeof RUNS

export function isRunName(name: string): name is RunName {
  return Object.hasOwn(RUNS, name)
}

/** Pods that keep the nodes of a plane with made-up nodes: it has a node from the first pod there to the last. */
export function nodeKeepers(image: string, count: number): object {
  const labels = { app: 'node-keeper' }
  const apart = { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'node-keeper', namespace: 'default' },
    spec: {
      replicas: count,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: 'pause', image }],
          affinity: {
            podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart] },
          },
        },
      },
    },
  }
}
