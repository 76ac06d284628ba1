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

export interface CheckedCertificate extends Omit<PlaneCertificate, 'kind'> {
  plane: PlaneReference
  /** `kubeconfig`: a client certificate in a context of the user's kubeconfig. */
  kind: PlaneCertificate['kind'] | 'kubeconfig'
  /** It has expired, or expires within `withinMs`. */
  isEnding: boolean
}

export interface UncheckedPlace {
  driver: DriverName
  /** Undefined when no plane of the driver could be listed. */
  plane?: PlaneReference
  reason: string
}

export interface CertificateCheck {
  certificates: CheckedCertificate[]
  /** Empty when all were checked. */
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
  /** How soon a certificate expires that counts as ending, in milliseconds. */
  withinMs: number
  now: Date
}

/**
 * Lists every certificate and key of a plane, or of all planes with what could not be checked, and those in the user's
 * kubeconfig. Changes nothing.
 * @throws {VplaneError} for a named plane, as `resolvePlane` does, and why its certificates cannot be read.
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
  own: PlaneCertificate[]
}

async function namedPlane(deps: CheckDependencies, selector: PlaneSelector): Promise<Found> {
  const { driver, plane } = await resolvePlane(deps, selector)
  return { plane, own: await driver.certificates.list(plane) }
}

interface Search {
  found: Found[]
  unchecked: UncheckedPlace[]
}

async function everyPlane(
  { contexts, drivers, ui }: CheckDependencies,
  { namespace, ...selector }: Omit<PlaneSelector, 'name'>,
): Promise<Search> {
  const likelyNamespaces = async () =>
    (await contexts.planes()).flatMap((plane) => plane.namespace ?? [])
  const searches = await Promise.all(
    candidatesOf(drivers, { namespace, ...selector }).map(async (driver) => {
      try {
        const planes = await driver.list({ namespace, likelyNamespaces, ui })
        return await Promise.all(planes.map((plane) => checkPlane(driver, plane)))
      } catch (error) {
        const reason = messageOf(error)
        return [{ found: [], unchecked: [{ driver: driver.name, reason }] }]
      }
    }),
  )
  const all = searches.flat()
  return {
    found: all
      .flatMap(({ found }) => found)
      .toSorted((left, right) => left.plane.name.localeCompare(right.plane.name)),
    unchecked: all.flatMap(({ unchecked }) => unchecked),
  }
}

async function checkPlane(driver: Driver, plane: Plane | UnreadablePlane): Promise<Search> {
  const unknown = (reason: string): Search => ({
    found: [{ plane, own: [] }],
    unchecked: [{ driver: driver.name, plane: referenceOf(plane), reason }],
  })
  if (!isReadable(plane)) {
    // A deleted plane has no certificates until it is created again.
    return plane.isKept === true ? { found: [], unchecked: [] } : unknown(plane.reason)
  }
  try {
    return { found: [{ plane, own: await driver.certificates.list(plane) }], unchecked: [] }
  } catch (error) {
    return unknown(messageOf(error))
  }
}
