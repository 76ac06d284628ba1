import { hasFields } from '../../shared/stored-format.ts'
import type { UnreadablePlane } from '../plane/unreadable-plane.ts'
import type { Plane } from '../plane/plane.ts'

/** A volume claim of the pods that a plane runs. What lies on its volume is in no snapshot. */
export interface PodVolume {
  /** Its name in the plane: `default/data-db-0`. */
  name: string
  /** That of the claim in the plane: one that was made anew under its name is another one. */
  uid: string
}

/** The address of a Service of a plane that runs pods, which is the same on its host. */
export interface ServiceAddress {
  /** Its name in the plane: `default/kubernetes`. */
  name: string
  address: string
}

/** An address that a Service cannot keep. */
export interface LostAddress extends ServiceAddress {
  /** As it reads after the address: `is not in 10.96.0.0/16`. */
  why: string
}

/** What becomes of the addresses of Services in another host namespace. */
export interface AddressOutlook {
  lost: LostAddress[]
  /** What keeps others from being seen that have an address already. @default all were looked at */
  doubt?: string
}

/** What a driver knows of the pods that its planes run. A plane that runs none has neither volumes nor addresses. */
export interface PlanePods {
  /** The volume claims of its pods, by name. They go with the plane. */
  volumes(plane: Plane | UnreadablePlane): Promise<PodVolume[]>

  /** The addresses of its Services, the one of its API first. */
  addresses(plane: Plane): Promise<ServiceAddress[]>

  /**
   * Which addresses Services could not have in a host namespace, which need not be there yet; nothing is touched.
   *
   * @throws {VplaneError} what keeps the host from being asked, such as `UNREACHABLE`.
   */
  outlook(
    addresses: readonly ServiceAddress[],
    namespace: string,
    signal: AbortSignal,
  ): Promise<AddressOutlook>
}

/** Tells stored volume claims from anything else. */
export function isPodVolumes(value: unknown): value is PodVolume[] {
  return (
    Array.isArray(value) && value.every((one) => hasFields(one, { name: 'string', uid: 'string' }))
  )
}

/** Tells stored addresses of Services from anything else. */
export function isServiceAddresses(value: unknown): value is ServiceAddress[] {
  return (
    Array.isArray(value) &&
    value.every((one) => hasFields(one, { name: 'string', address: 'string' }))
  )
}

/** Of a driver whose planes run no pods. */
export const NO_PODS: PlanePods = {
  volumes: () => Promise.resolve([]),
  addresses: () => Promise.resolve([]),
  outlook: () => Promise.resolve({ lost: [] }),
}
