import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { ObjectCache } from '../../kube/cache/object-cache.ts'
import { toObjectKey } from '../../kube/cache/object-key.ts'
import { numberAt, recordAt } from '../../shared/json-fields.ts'
import { isVirtual } from '../translate/markers.ts'

/** The maximum number of nodes of a plane. */
const COUNT = 10_000

/** The ports of the plane's nodes, one for each, since all have one host name; nodes store them for all syncers. */
export class KubeletPorts {
  readonly #first: number
  readonly #nodes: Pick<ObjectCache, 'get' | 'values'>
  readonly #assigned = new Map<string, number>()

  constructor(nodes: Pick<ObjectCache, 'get' | 'values' | 'onChange'>, first: number) {
    this.#first = first
    this.#nodes = nodes
    nodes.onChange(({ metadata }, isGone) => {
      if (isGone) {
        this.#assigned.delete(metadata.name ?? '')
      }
    })
  }

  /** That in the node's status unless another node has it, or else a free one. @throws {Error} when none is free. */
  of(name: string): number {
    const port = this.#assigned.get(name) ?? this.#shown(name) ?? this.#free()
    this.#assigned.set(name, port)
    return port
  }

  #shown(name: string): number | undefined {
    const node = this.#nodes.get(toObjectKey({ name }))
    const port = node === undefined ? undefined : kubeletPortOf(node, this.#first)
    return port === undefined || [...this.#assigned.values()].includes(port) ? undefined : port
  }

  #free(): number {
    const shown = [...this.#nodes.values()].map((node) => kubeletPortOf(node, this.#first))
    const taken = new Set([...this.#assigned.values(), ...shown])
    for (let port = this.#first; port < this.#first + COUNT; port += 1) {
      if (!taken.has(port)) {
        return port
      }
    }
    throw new Error(`a plane cannot have more than ${COUNT} nodes`)
  }
}

/** The kubelet port in a node's status; undefined when no syncer has assigned it: users may write anything there. */
export function kubeletPortOf(node: KubeObject, first: number): number | undefined {
  const endpoints = recordAt(node, 'status', 'daemonEndpoints') ?? {}
  const port = numberAt(endpoints, 'kubeletEndpoint', 'Port') ?? 0
  return isVirtual(node) && port >= first && port < first + COUNT ? port : undefined
}
