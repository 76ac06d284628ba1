import { messageOf } from '../../shared/errors.ts'
import type { Ui } from '../../shared/ui.ts'
import { type Driver, isReadable } from '../driver.ts'
import { isSamePlane, type Plane, type PlaneReference, referenceOf } from '../plane.ts'
import { isEndingWithin } from '../certificate-ends.ts'
import type { PlaneCertificate } from '../plane-certificates.ts'
import type { Contexts } from './contexts.ts'
import { candidatesOf, type PlaneSelector } from './look-up.ts'
import { resolvePlane } from './resolve-plane.ts'

/** Something that proves who a plane or its user is. */
export interface CheckedCertificate extends Omit<PlaneCertificate, 'kind'> {
  plane: PlaneReference
  /** `kubeconfig`: a client certificate in a context of the user's kubeconfig. */
  kind: PlaneCertificate['kind'] | 'kubeconfig'
  /** It has ended, or does so within the time that was asked for. */
  isEnding: boolean
}

export interface CheckDependencies {
  drivers: readonly Driver[]
  contexts: Pick<Contexts, 'certificates'>
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
 * Every certificate and key of a plane, or of all planes, and those in the user's kubeconfig. Changes nothing. A plane
 * that cannot be looked at is a warning where all are asked for.
 *
 * @throws {VplaneError} as `resolvePlane` does when a plane is named, and what keeps its certificates from being read.
 */
export async function checkCertificates(
  deps: CheckDependencies,
  { name, now, withinMs, ...selector }: CheckOptions,
): Promise<CheckedCertificate[]> {
  const found =
    name === undefined
      ? await everyPlane(deps, selector)
      : [await resolvePlane(deps, { ...selector, name })]
  const contexts = await deps.contexts.certificates()
  const checked = found.map(async ({ driver, plane }) => {
    const own = await (name === undefined
      ? certificatesOrWarn(deps, driver, plane)
      : driver.certificates.list(plane))
    const kubeconfigs = contexts
      .filter((context) => isSamePlane(context.plane, plane))
      .map(({ context, expiresAt }) => ({ name: context, kind: 'kubeconfig' as const, expiresAt }))
    return [...own, ...kubeconfigs].map((certificate) => ({
      plane: referenceOf(plane),
      ...certificate,
      isEnding: isEndingWithin(withinMs, certificate.expiresAt, now),
    }))
  })
  return (await Promise.all(checked)).flat()
}

async function certificatesOrWarn(
  { ui }: CheckDependencies,
  driver: Driver,
  plane: Plane,
): Promise<PlaneCertificate[]> {
  try {
    return await driver.certificates.list(plane)
  } catch (error) {
    ui.warn(`the certificates of "${plane.name}" are not known: ${messageOf(error)}`)
    return []
  }
}

/** Every plane that can be read, by name. */
async function everyPlane(
  { drivers, ui }: CheckDependencies,
  selector: Omit<PlaneSelector, 'name'>,
): Promise<Array<{ driver: Driver; plane: Plane }>> {
  const listing = candidatesOf(drivers, selector).map(async (driver) => {
    try {
      const planes = await driver.list({ namespace: selector.namespace, ui })
      return planes.flatMap((plane) => (isReadable(plane) ? [{ driver, plane }] : []))
    } catch (error) {
      ui.warn(`planes of the driver ${driver.name} cannot be listed: ${messageOf(error)}`)
      return []
    }
  })
  const found = (await Promise.all(listing)).flat()
  return found.toSorted((left, right) => left.plane.name.localeCompare(right.plane.name))
}
