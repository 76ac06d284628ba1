import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { PodUsage } from './host-usage.ts'

/** The start value of counters, in seconds: metrics-server reads 0 as not measured yet. */
const FIRST_SECONDS = 0.001

/** The CPU time of containers and nodes, from the host's averages; it restarts with the process, so only one may count. */
export class CpuCounters {
  #containers = new Map<string, { at: number; seconds: number }>()
  readonly #nodes = new Map<string, number>()

  /** Adds the current usage of pods, and removes all other pods. */
  add(usages: readonly PodUsage[]): void {
    const before = this.#containers
    this.#containers = new Map()
    for (const { containers, node = '', pod, timestamp } of usages) {
      const now = Date.parse(timestamp)
      for (const { name, nanoCores } of containers) {
        const key = keyOf(pod, name)
        const { at, seconds } = before.get(key) ?? { at: now, seconds: FIRST_SECONDS }
        // The average is taken for the whole time since the one before.
        const used = (nanoCores * Math.max(0, now - at)) / 1e12
        this.#containers.set(key, { at: Math.max(at, now), seconds: seconds + used })
        this.#nodes.set(node, this.secondsOn(node) + used)
      }
    }
  }

  secondsOf(pod: KubeObject, container: string): number {
    return this.#containers.get(keyOf(pod, container))?.seconds ?? FIRST_SECONDS
  }

  /** The CPU seconds of all present and past pods of a node. */
  secondsOn(node: string): number {
    return this.#nodes.get(node) ?? FIRST_SECONDS
  }
}

function keyOf({ metadata }: KubeObject, container: string): string {
  return `${metadata.uid}/${container}`
}
