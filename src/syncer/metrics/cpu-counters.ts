import type { KubeObject } from '../../kube/kube-object.ts'
import type { PodUsage } from './pod-usage.ts'

/** What counters begin with, in seconds: whoever reads them takes what is 0 for not measured yet. */
const FIRST_SECONDS = 0.001

/**
 * The CPU time that containers and nodes have used, counted from the averages that the host measures: what was used between
 * two of them is taken to be what the later one says. They begin anew with the process, as counters may; so of several
 * syncers one has to count.
 */
export class CpuCounters {
  readonly #containers = new Map<string, { at: number; seconds: number }>()
  readonly #nodes = new Map<string, number>()

  /** Takes in what pods use now, and forgets pods that are not among them. */
  take(usages: readonly PodUsage[]): void {
    const known = new Set<string>()
    for (const { containers, node, pod, timestamp } of usages) {
      const at = Date.parse(timestamp)
      for (const { name, nanoCores } of containers) {
        const key = keyOf(pod, name)
        known.add(key)
        const before = this.#containers.get(key) ?? { at, seconds: FIRST_SECONDS }
        const used = at > before.at ? (nanoCores * (at - before.at)) / 1e12 : 0
        const seconds = before.seconds + used
        this.#containers.set(key, { at: Math.max(at, before.at), seconds })
        if (node !== undefined) {
          this.#nodes.set(node, this.secondsOn(node) + used)
        }
      }
    }
    const gone = [...this.#containers.keys()].filter((key) => !known.has(key))
    gone.forEach((key) => this.#containers.delete(key))
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
