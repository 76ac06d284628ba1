import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { PodUsage } from './host-usage.ts'

/** What counters begin with, in seconds: whoever reads them takes what is 0 for not measured yet. */
const FIRST_SECONDS = 0.001

/**
 * The CPU time that containers and nodes have used, counted from the averages that the host measures: what was used between
 * two of them is taken to be what the later one says. They begin anew with the process, as counters may; so of several
 * syncers one has to count.
 */
export class CpuCounters {
  #containers = new Map<string, { at: number; seconds: number }>()
  readonly #nodes = new Map<string, number>()

  /** Takes in what pods use now, and forgets pods that are not among them. */
  take(usages: readonly PodUsage[]): void {
    const before = this.#containers
    this.#containers = new Map()
    for (const { containers, node = '', pod, timestamp } of usages) {
      const now = Date.parse(timestamp)
      for (const { name, nanoCores } of containers) {
        const key = keyOf(pod, name)
        const { at, seconds } = before.get(key) ?? { at: now, seconds: FIRST_SECONDS }
        const used = (nanoCores * Math.max(0, now - at)) / 1e12
        this.#containers.set(key, { at: Math.max(at, now), seconds: seconds + used })
        this.#nodes.set(node, this.secondsOn(node) + used)
      }
    }
  }

  /** Seconds of a container of a pod. */
  secondsOf(pod: KubeObject, container: string): number {
    return this.#containers.get(keyOf(pod, container))?.seconds ?? FIRST_SECONDS
  }

  /** Seconds of all pods that are, or were, on a node. */
  secondsOn(node: string): number {
    return this.#nodes.get(node) ?? FIRST_SECONDS
  }
}

function keyOf({ metadata }: KubeObject, container: string): string {
  return `${metadata.uid}/${container}`
}
