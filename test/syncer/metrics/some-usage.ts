import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import type { PodUsage } from '../../../src/syncer/metrics/host-usage.ts'

export const TIME = '2026-06-01T12:00:00Z'

/** A virtual pod with these containers. */
export function podOf(
  name: string,
  { containers = ['app'], labels = {}, namespace = 'default', uid = `uid-${name}` } = {},
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid, labels },
    spec: { containers: containers.map((container) => ({ name: container })) },
  }
}

/** What a pod uses, a quarter of a core and 64 MiB unless it is said. */
export function usageOf(
  name: string,
  {
    memoryBytes = 64 * 2 ** 20,
    nanoCores = 250_000_000,
    node = 'worker-7',
    timestamp = TIME,
    ...pod
  }: Partial<PodUsage['containers'][0]> & { node?: string; timestamp?: string } & Parameters<
      typeof podOf
    >[1] = {},
): PodUsage {
  const { containers = ['app'] } = pod
  return {
    pod: podOf(name, pod),
    node,
    timestamp,
    window: '15s',
    containers: containers.map((container) => ({ name: container, nanoCores, memoryBytes })),
  }
}

/** A node of the plane. */
export function nodeOf(name: string, labels: Record<string, string> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } }
}
