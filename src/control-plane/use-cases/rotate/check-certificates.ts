import { messageOf } from '../../../shared/errors.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { Driver } from '../../driver/driver.ts'
import { isReadable, type UnreadablePlane } from '../../plane/unreadable-plane.ts'
import type { DriverName } from '../../spec/driver-name.ts'
import { isSamePlane, type Plane, type PlaneReference, referenceOf } from '../../plane/plane.ts'
import { isEndingWithin } from '../../status/certificate-ends.ts'
import type { PlaneCertificate } from '../../driver/plane-certificates.ts'
import type { Contexts } from '../access/contexts.ts'
import { candidatesOf, type PlaneSelector } from '../find/find-planes.ts'
import { resolvePlane } from '../find/resolve-plane.ts'

/** Something that proves who a plane or its user is. */
export interface CheckedCertificate extends Omit<PlaneCertificate, 'kind'> {
  plane: PlaneReference
  /** `kubeconfig`: a client certificate in a context of the user's kubeconfig. */
  kind: PlaneCertificate['kind'] | 'kubeconfig'
  /** It has ended, or does so within the time that was asked for. */
  isEnding: boolean
}

/** What could not be looked at. */
export interface UncheckedPlace {
  driver: DriverName
  /** Undefined when no plane of the driver could be. */
  plane?: PlaneReference
  reason: string
}

export interface CertificateCheck {
  certificates: CheckedCertificate[]
  /** Empty when all was looked at. */
  unchecked: UncheckedPlace[]
}

export interface CheckDependencies {
  drivers: readonly Driver[]
  contexts: Pick<Contexts, 'certificates' | 'planes'>
  ui: Pick<Ui, 'note' | 'warn'>
}

export interface CheckOptions extends Omit<PlaneSelector, 'name'> {
  /** @default every plane */
  name?: string | undefined
  /** What ends within this time is ending, in milliseconds. */
  withinMs: number
  now: Date
}

/**
 * Every certificate and key of a plane, or of all planes, and those in the user's kubeconfig. Changes nothing. Where all
 * are asked for, what cannot be looked at hides none of the others.
 *
 * @throws {VplaneError} as `resolvePlane` does when a plane is named, and what keeps its certificates from being read.
 */
export async function checkCertificates(
  deps: CheckDependencies,
  { name, now, withinMs, ...selector }: CheckOptions,
): Promise<CertificateCheck> {
  const contexts = await deps.contexts.certificates()
  const { found, unchecked } =
    name === undefined
      ? await everyPlane(deps, selector)
      : { found: [await namedPlane(deps, { ...selector, name })], unchecked: [] }
  const certificates = found.flatMap(({ own, plane }) => {
    const kubeconfigs = contexts
      .filter((context) => isSamePlane(context.plane, plane))
      .map(({ context, expiresAt }) => ({ name: context, kind: 'kubeconfig' as const, expiresAt }))
    return [...own, ...kubeconfigs].map((certificate) => ({
      plane: referenceOf(plane),
      ...certificate,
      isEnding: isEndingWithin(withinMs, certificate.expiresAt, now),
    }))
  })
  return { certificates, unchecked }
}

interface Found {
  plane: PlaneReference
  /** What is stored with the plane. */
  own: PlaneCertificate[]
}

async function namedPlane(deps: CheckDependencies, selector: PlaneSelector): Promise<Found> {
  const { driver, plane } = await resolvePlane(deps, selector)
  return { plane, own: await driver.certificates.list(plane) }
}

interface Look {
  found: Found[]
  unchecked: UncheckedPlace[]
}

/** Every plane, by name. */
async function everyPlane(
  { contexts, drivers, ui }: CheckDependencies,
  { namespace, ...selector }: Omit<PlaneSelector, 'name'>,
): Promise<Look> {
  const likelyNamespaces = async () =>
    (await contexts.planes()).flatMap((plane) => plane.namespace ?? [])
  const looks = await Promise.all(
    candidatesOf(drivers, { namespace, ...selector }).map(async (driver) => {
      try {
        const planes = await driver.list({ namespace, likelyNamespaces, ui })
        return await Promise.all(planes.map((plane) => lookAt(driver, plane)))
      } catch (error) {
        const reason = messageOf(error)
        return [{ found: [], unchecked: [{ driver: driver.name, reason }] }]
      }
    }),
  )
  const all = looks.flat()
  return {
    found: all
      .flatMap(({ found }) => found)
      .toSorted((left, right) => left.plane.name.localeCompare(right.plane.name)),
    unchecked: all.flatMap(({ unchecked }) => unchecked),
  }
}

async function lookAt(driver: Driver, plane: Plane | UnreadablePlane): Promise<Look> {
  const unknown = (reason: string): Look => ({
    found: [{ plane, own: [] }],
    unchecked: [{ driver: driver.name, plane: referenceOf(plane), reason }],
  })
  if (!isReadable(plane)) {
    // One that was deleted has none until it is made again.
    return plane.isKept === true ? { found: [], unchecked: [] } : unknown(plane.reason)
  }
  try {
    return { found: [{ plane, own: await driver.certificates.list(plane) }], unchecked: [] }
  } catch (error) {
    return unknown(messageOf(error))
  }
}
