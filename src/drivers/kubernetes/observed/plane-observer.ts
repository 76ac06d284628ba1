import { httpStatusOf } from '../../../kube/kube-error.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import { observePlanes, type ObservedPlane } from './observed-plane.ts'

/** How many namespaces are looked at one by one before all are looked at together. */
const FEW = 3

const NOTHING: ObservedPlane = { stored: undefined, workload: () => undefined, pods: () => [] }

type LookAt = (plane: PlacedName) => ObservedPlane

/**
 * PlaneObserver at planes together that are asked for in the same moment, as a list of many does: with a handful of requests,
 * however many they are.
 */
export class PlaneObserver {
  #asked: PlacedName[] = []
  #next: Promise<LookAt> | undefined

  /** What runs of a plane, looked up after the call. */
  async at(
    api: Pick<HostApi, 'list'>,
    plane: PlacedName,
    signal: AbortSignal,
  ): Promise<ObservedPlane> {
    this.#asked.push(plane)
    this.#next ??= new Promise((resolve) => {
      setImmediate(() => {
        const asked = this.#asked
        this.#asked = []
        this.#next = undefined
        resolve(lookAtAll(api, asked, signal))
      })
    })
    const look = await this.#next
    return look(plane)
  }
}

async function lookAtAll(
  api: Pick<HostApi, 'list'>,
  planes: readonly PlacedName[],
  signal: AbortSignal,
): Promise<LookAt> {
  const namespaces = [...new Set(planes.map(({ namespace }) => namespace))]
  if (namespaces.length > FEW) {
    try {
      return await observePlanes(api, { names: planes.map(({ name }) => name), signal })
    } catch (error) {
      if (httpStatusOf(error) !== 403) {
        throw error
      }
      // Whoever may not look at all namespaces may look at some.
    }
  }
  const looks = await Promise.all(
    namespaces.map(async (namespace) => {
      const names = planes.filter((plane) => plane.namespace === namespace).map(({ name }) => name)
      return [namespace, await observePlanes(api, { namespace, names, signal })] as const
    }),
  )
  const byNamespace = new Map(looks)
  return (plane) => byNamespace.get(plane.namespace)?.(plane) ?? NOTHING
}
