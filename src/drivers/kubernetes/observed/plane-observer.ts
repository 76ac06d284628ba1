import { httpStatusOf } from '../../../kube/kube-error.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import { observePlanes, type ObservedPlane } from './observed-plane.ts'

/** Up to this many namespaces are read one by one, more of them with one request for all namespaces. */
const FEW = 3

const NOTHING: ObservedPlane = { stored: undefined, workload: () => undefined, pods: () => [] }

type ObservePlane = (plane: PlacedName) => ObservedPlane

/**
 * Reads planes together that are requested at the same moment, as a list requests them, with a constant number of
 * requests.
 */
export class PlaneObserver {
  #requested: PlacedName[] = []
  #next: Promise<ObservePlane> | undefined

  /** Reads a plane after the call. */
  async at(
    api: Pick<HostApi, 'list'>,
    plane: PlacedName,
    signal: AbortSignal,
  ): Promise<ObservedPlane> {
    this.#requested.push(plane)
    this.#next ??= new Promise((resolve) => {
      setImmediate(() => {
        const requested = this.#requested
        this.#requested = []
        this.#next = undefined
        resolve(observeAll(api, requested, signal))
      })
    })
    const observed = await this.#next
    return observed(plane)
  }
}

async function observeAll(
  api: Pick<HostApi, 'list'>,
  planes: readonly PlacedName[],
  signal: AbortSignal,
): Promise<ObservePlane> {
  const namespaces = [...new Set(planes.map(({ namespace }) => namespace))]
  if (namespaces.length > FEW) {
    try {
      return await observePlanes(api, { names: planes.map(({ name }) => name), signal })
    } catch (error) {
      if (httpStatusOf(error) !== 403) {
        throw error
      }
      // A user who may not read all namespaces may be allowed to read some.
    }
  }
  const observations = await Promise.all(
    namespaces.map(async (namespace) => {
      const names = planes.filter((plane) => plane.namespace === namespace).map(({ name }) => name)
      return [namespace, await observePlanes(api, { namespace, names, signal })] as const
    }),
  )
  const byNamespace = new Map(observations)
  return (plane) => byNamespace.get(plane.namespace)?.(plane) ?? NOTHING
}
