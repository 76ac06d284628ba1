import type { KubeClient } from '../../kube/client/client.ts'
import type { KubeObject } from '../../kube/kube-object.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { markerLabels } from '../translate/host-metadata.ts'
import { type PodUsage, toPodUsages } from './pod-usage.ts'

export interface HostUsageOptions extends Pick<SyncContext, 'pods' | 'scope'> {
  host: Pick<KubeClient, 'list'>
  /** How long an answer of the host is good, in milliseconds. @default 5000 */
  maxAgeMs?: number
}

/** Gives what the pods of the plane use. */
export type ReadUsage = () => Promise<PodUsage[]>

const API = '/apis/metrics.k8s.io/v1beta1'

/** How long the host may take to answer, in milliseconds. */
const ANSWER_MS = 10_000

/** How long an answer is good unless it is said, in milliseconds: hosts measure every 15 s or so. */
const MAX_AGE_MS = 5000

/**
 * Reads on the host what the pods of the plane use.
 *
 * @returns a function that fails as the host does: with 404 when it has no metrics, with 403 when they may not be read.
 */
export function hostUsage(options: HostUsageOptions): ReadUsage {
  const { host, maxAgeMs, scope } = options
  const labelSelector = Object.entries(markerLabels(scope, undefined))
    .map((pair) => pair.join('='))
    .join(',')
  const read = sharedAnswer(async () => {
    const signal = AbortSignal.timeout(ANSWER_MS)
    const path = `${API}/namespaces/${scope.host.namespace}/pods`
    return (await host.list(path, { labelSelector, signal })).items
  }, maxAgeMs)
  return async () => toPodUsages(options, await read())
}

/** Reads the metrics of the host's nodes, which fails as that of pods does. */
export function hostNodeMetrics(host: Pick<KubeClient, 'list'>): () => Promise<KubeObject[]> {
  return sharedAnswer(async () => {
    const signal = AbortSignal.timeout(ANSWER_MS)
    return (await host.list(`${API}/nodes`, { signal })).items
  })
}

/** Asks once for all who ask at about the same time. An answer that fails is nobody's but theirs who waited for it. */
function sharedAnswer<Answer>(
  ask: () => Promise<Answer>,
  maxAgeMs: number = MAX_AGE_MS,
): () => Promise<Answer> {
  let shared: { at: number; answer: Promise<Answer> } | undefined
  return async () => {
    if (shared === undefined || performance.now() - shared.at > maxAgeMs) {
      shared = { at: performance.now(), answer: ask() }
    }
    const { answer } = shared
    try {
      return await answer
    } catch (error) {
      // Whoever asks next asks again.
      if (shared?.answer === answer) {
        shared = undefined
      }
      throw error
    }
  }
}
