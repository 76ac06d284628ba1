import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { ObjectCache } from '../engine/object-cache.ts'
import { toObjectKey } from '../scope/object-key.ts'
import { numberAt, recordAt } from '../../shared/json-fields.ts'
import { isVirtual } from '../translate/markers.ts'

/** How many nodes of a plane there may be. */
const COUNT = 10_000

/**
 * The ports of the plane's nodes, at the name that all have in common: the port alone says which node is meant. The nodes
 * themselves remember them, so that every syncer listens on the same ones.
 */
export class KubeletPorts {
  readonly #first: number
  readonly #nodes: Pick<ObjectCache, 'get' | 'values'>
  readonly #given = new Map<string, number>()

  constructor(nodes: Pick<ObjectCache, 'get' | 'values' | 'onChange'>, first: number) {
    this.#first = first
    this.#nodes = nodes
    nodes.onChange(({ metadata }, isGone) => {
      if (isGone) {
        this.#given.delete(metadata.name ?? '')
      }
    })
  }

  /**
   * The port of a node: the one that it shows, unless another one was given that, or else a free one.
   *
   * @throws {Error} when there is none.
   */
  of(name: string): number {
    const port = this.#given.get(name) ?? this.#shown(name) ?? this.#free()
    this.#given.set(name, port)
    return port
  }

  #shown(name: string): number | undefined {
    const node = this.#nodes.get(toObjectKey({ name }))
    const port = node === undefined ? undefined : kubeletPortOf(node, this.#first)
    return port === undefined || [...this.#given.values()].includes(port) ? undefined : port
  }

  #free(): number {
    const shown = [...this.#nodes.values()].map((node) => kubeletPortOf(node, this.#first))
    const taken = new Set([...this.#given.values(), ...shown])
    for (let port = this.#first; port < this.#first + COUNT; port += 1) {
      if (!taken.has(port)) {
        return port
      }
    }
    throw new Error(`there are ports for ${COUNT} nodes of a plane, and no more`)
  }
}

/**
 * The port that a node of the plane shows; undefined when it is none that a syncer gives. Users of the plane may write what
 * they like there.
 *
 * @param first the first of the ports
 */
export function kubeletPortOf(node: KubeObject, first: number): number | undefined {
  const endpoints = recordAt(node, 'status', 'daemonEndpoints') ?? {}
  const port = numberAt(endpoints, 'kubeletEndpoint', 'Port') ?? 0
  return isVirtual(node) && port >= first && port < first + COUNT ? port : undefined
}
