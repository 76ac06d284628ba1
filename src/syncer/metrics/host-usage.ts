import { quantityValue } from '../../control-plane/spec/fields/quantity.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { keyOf, toObjectKey } from '../scope/object-key.ts'
import { markerSelector } from '../translate/host-metadata.ts'
import { nodeNameOf } from '../translate/pod-fields.ts'
import { recordAt, recordsAt, textAt } from '../../shared/json-fields.ts'
import { virtualOf } from '../translate/virtual-of.ts'

export interface HostUsageOptions extends Pick<SyncContext, 'pods' | 'scope'> {
  host: Pick<KubeClient, 'list'>
  /** How long an answer of the host is good, in milliseconds. @default 5000 */
  maxAgeMs?: number
}

/** What a pod of the plane uses, as the host measured it. */
export interface PodUsage {
  /** The virtual pod. */
  pod: KubeObject
  node: string | undefined
  /** When that was. */
  timestamp: string
  /** The time before that over which CPU was measured: `15s`. */
  window: string
  containers: Array<Usage & { name: string }>
}

export interface Usage {
  /** In billionths of a core. */
  nanoCores: number
  /** The working set. */
  memoryBytes: number
}

/** Gives what the pods of the plane use. */
export type ReadUsage = () => Promise<PodUsage[]>

const API = '/apis/metrics.k8s.io/v1beta1'

/** How long the host may take to answer, in milliseconds. */
const ANSWER_MS = 10_000

/** How long an answer is good unless it is said, in milliseconds: hosts measure every 15 s or so. */
const MAX_AGE_MS = 5000

const CONTAINER_LISTS = ['containers', 'initContainers', 'ephemeralContainers']

/**
 * Reads on the host what the pods of the plane use.
 *
 * @returns a function that fails as the host does: with 404 when it has no metrics, with 403 when they may not be read.
 */
export function hostUsage(options: HostUsageOptions): ReadUsage {
  const { host, maxAgeMs, scope } = options
  const path = `${API}/namespaces/${scope.host.namespace}/pods`
  const read = sharedList(host, path, { labelSelector: markerSelector(scope), maxAgeMs })
  return async () => toPodUsages(options, await read())
}

/** Reads the metrics of the host's nodes, which fails as that of pods does. */
export function hostNodeMetrics(host: Pick<KubeClient, 'list'>): () => Promise<KubeObject[]> {
  return sharedList(host, `${API}/nodes`)
}

/** Asks once for all who ask at about the same time. An answer that fails is nobody's but theirs who waited for it. */
function sharedList(
  host: Pick<KubeClient, 'list'>,
  path: string,
  {
    labelSelector,
    maxAgeMs = MAX_AGE_MS,
  }: { labelSelector?: string; maxAgeMs?: number | undefined } = {},
): () => Promise<KubeObject[]> {
  let shared: { at: number; answer: ReturnType<typeof host.list> } | undefined
  return async () => {
    if (shared === undefined || performance.now() - shared.at > maxAgeMs) {
      const signal = AbortSignal.timeout(ANSWER_MS)
      const asked = { at: performance.now(), answer: host.list(path, { labelSelector, signal }) }
      asked.answer.catch(() => {
        shared = shared === asked ? undefined : shared
      })
      shared = asked
    }
    return (await shared.answer).items
  }
}

/**
 * What virtual pods use, of the metrics of host pods (`PodMetrics` of metrics.k8s.io). Those carry no annotations, so
 * the host pod itself says whose it is. Containers that the host has added are not the plane's.
 */
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
    const spec = recordAt(pod, 'spec') ?? {}
    const own = CONTAINER_LISTS.flatMap((list) => recordsAt(spec, list)).map(({ name }) => name)
    const containers = recordsAt(one, 'containers')
      .filter(({ name }) => own.includes(name))
      .map((container) => {
        const usage = recordAt(container, 'usage') ?? {}
        const value = (resource: string) => quantityValue(textAt(usage, resource) ?? '') ?? 0
        return {
          name: textAt(container, 'name') ?? '',
          nanoCores: Math.round(value('cpu') * 1e9),
          memoryBytes: Math.round(value('memory')),
        }
      })
    const timestamp = textAt(one, 'timestamp') ?? ''
    const window = textAt(one, 'window') ?? ''
    const usage = { pod, node: nodeNameOf(host), timestamp, window, containers }
    return containers.length === 0 ? [] : [usage]
  })
}

/** What several use together. */
export function sumOf(usages: readonly Usage[]): Usage {
  return {
    nanoCores: usages.reduce((sum, { nanoCores }) => sum + nanoCores, 0),
    memoryBytes: usages.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  }
}
