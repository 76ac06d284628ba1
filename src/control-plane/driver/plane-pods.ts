import { hasFields } from '../../shared/stored-format.ts'
import type { UnreadablePlane } from '../plane/unreadable-plane.ts'
import type { Plane } from '../plane/plane.ts'

/** A PersistentVolumeClaim of a plane that runs pods. Snapshots do not contain the data of its volume. */
export interface PodVolume {
  /** Its name in the plane: `default/data-db-0`. */
  name: string
  uid: string
}

/** The cluster IP of a Service of a plane that runs pods; its host Service has the same. */
export interface ServiceAddress {
  /** Its name in the plane: `default/kubernetes`. */
  name: string
  address: string
}

export interface LostAddress extends ServiceAddress {
  /** The text after the address in a sentence: `is not in 10.96.0.0/16`. */
  why: string
}

/** Which addresses Services would keep in another host namespace. */
export interface AddressOutlook {
  lost: LostAddress[]
  /** Why Services with the same address may have been missed. @default all Services of the host were checked */
  doubt?: string
}

/** The part of a driver about the pods of its planes. A plane without pods has no addresses. */
export interface PlanePods {
  /** The claims of its pods, by name, also of those that it ran before. They are deleted with the plane. */
  volumes(plane: Plane | UnreadablePlane): Promise<PodVolume[]>

  /** The addresses of its Services, that of its API first. */
  addresses(plane: Plane): Promise<ServiceAddress[]>

  /**
   * Which addresses would be lost in a host namespace, even one that does not exist yet. Changes nothing.
   * @throws {VplaneError} when the host does not answer, such as `UNREACHABLE`.
   */
  outlook(
    addresses: readonly ServiceAddress[],
    namespace: string,
    signal: AbortSignal,
  ): Promise<AddressOutlook>
}

/** Whether a stored value is a list of claims. */
export function isPodVolumes(value: unknown): value is PodVolume[] {
  return (
    Array.isArray(value) && value.every((one) => hasFields(one, { name: 'string', uid: 'string' }))
  )
}

/** Whether a stored value is a list of Service addresses. */
export function isServiceAddresses(value: unknown): value is ServiceAddress[] {
  return (
    Array.isArray(value) &&
    value.every((one) => hasFields(one, { name: 'string', address: 'string' }))
  )
}

/** The implementation of a driver whose planes run no pods. */
export const NO_PODS: PlanePods = {
  volumes: () => Promise.resolve([]),
  addresses: () => Promise.resolve([]),
  outlook: () => Promise.resolve({ lost: [] }),
}
