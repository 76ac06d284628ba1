import { quantityValue } from '../../control-plane/spec/fields/quantity.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import type { Selection } from '../../kube/client/query.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { keyOf, toObjectKey } from '../../kube/cache/object-key.ts'
import { ownContainers } from '../pods/own-containers.ts'
import { markerSelector, virtualOf } from '../translate/host-metadata.ts'
import { nodeNameOf } from '../translate/pod-fields.ts'
import { recordAt, recordsAt, textAt } from '../../shared/json-fields.ts'

export interface HostUsageOptions extends Pick<SyncContext, 'pods' | 'scope'> {
  host: Pick<KubeClient, 'list'>
  /** How long an answer of the host is reused, in milliseconds. @default 5000 */
  maxAgeMs?: number | undefined
}

export interface PodUsage {
  pod: KubeObject
  node: string | undefined
  /** The end of the measurement. */
  timestamp: string
  /** The duration of the CPU measurement: `15s`. */
  window: string
  containers: Array<Usage & { name: string }>
}

export interface Usage {
  nanoCores: number
  /** The working set. */
  memoryBytes: number
}

export type ReadUsage = () => Promise<PodUsage[]>

const API = '/apis/metrics.k8s.io/v1beta1'

/** A reader of the pods' usage, which fails with 404 when the host has no metrics, and with 403 when it denies access. */
export function hostUsage(options: HostUsageOptions): ReadUsage {
  const { host, maxAgeMs, scope } = options
  const path = `${API}/namespaces/${scope.host.namespace}/pods`
  const read = sharedList(host, path, { labelSelector: markerSelector(scope), maxAgeMs })
  return async () => toPodUsages(options, await read())
}

/** A reader of the metrics of the host's nodes, which fails in the same way. */
export function hostNodeMetrics(host: Pick<KubeClient, 'list'>): () => Promise<KubeObject[]> {
  return sharedList(host, `${API}/nodes`)
}

/** One request for all callers of some time, since hosts measure about every 15 s; a failure is not reused later. */
function sharedList(
  host: Pick<KubeClient, 'list'>,
  path: string,
  { labelSelector, maxAgeMs = 5000 }: Pick<HostUsageOptions, 'maxAgeMs'> & Selection = {},
): () => Promise<KubeObject[]> {
  let shared: { at: number; answer: ReturnType<typeof host.list> } | undefined
  return async () => {
    if (shared === undefined || performance.now() - shared.at > maxAgeMs) {
      const signal = AbortSignal.timeout(10_000)
      const asked = { at: performance.now(), answer: host.list(path, { labelSelector, signal }) }
      asked.answer.catch(() => {
        shared = shared === asked ? undefined : shared
      })
      shared = asked
    }
    return (await shared.answer).items
  }
}

/** The usage of virtual pods without containers of the host, from `PodMetrics`, which lack annotations, and host pods. */
export function toPodUsages(
  { pods, scope }: Pick<SyncContext, 'pods' | 'scope'>,
  metrics: readonly KubeObject[],
): PodUsage[] {
  return metrics.flatMap((one) => {
    const host = pods.host.get(keyOf(one))
    const identity = host === undefined ? undefined : virtualOf(scope, host)
    const pod = identity === undefined ? undefined : pods.virtual.get(toObjectKey(identity))
    if (host === undefined || pod === undefined || pod.metadata.uid !== identity?.uid) {
      return []
    }
    const own = ownContainers(pod, host)
    const containers = recordsAt(one, 'containers').flatMap((container) => {
      const name = textAt(container, 'name') ?? ''
      const usage = recordAt(container, 'usage') ?? {}
      const value = (resource: string) => quantityValue(textAt(usage, resource) ?? '') ?? 0
      const nanoCores = Math.round(value('cpu') * 1e9)
      const memoryBytes = Math.round(value('memory'))
      return own.includes(name) ? [{ name, nanoCores, memoryBytes }] : []
    })
    const timestamp = textAt(one, 'timestamp') ?? ''
    const window = textAt(one, 'window') ?? ''
    const usage = { pod, node: nodeNameOf(host), timestamp, window, containers }
    return containers.length === 0 ? [] : [usage]
  })
}

/** The sum of several usages. */
export function sumOf(usages: readonly Usage[]): Usage {
  return {
    nanoCores: usages.reduce((sum, { nanoCores }) => sum + nanoCores, 0),
    memoryBytes: usages.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  }
}
