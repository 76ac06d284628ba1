import type { Ui } from '../../../shared/ui.ts'
import type { Driver } from '../../driver/driver.ts'
import type { Plane } from '../../plane/plane.ts'
import { agreeTo, type Consent } from '../change/agree-to.ts'
import { finishFirst } from '../find/finish-first.ts'
import type { PlaneSelector } from '../find/find-planes.ts'
import { resolvePlane } from '../find/resolve-plane.ts'

export interface RotateOptions extends PlaneSelector, Consent {
  signal: AbortSignal
}

export interface Rotation {
  plane: Plane
  /** The leaf certificates that were renewed, or would be. */
  certificates: string[]
}

/** Stops nothing. @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, and what `agreeTo` throws. */
export async function rotateCertificates(
  { drivers, ui }: { drivers: readonly Driver[]; ui: Ui },
  { isConfirmed, isDryRun, signal, ...selector }: RotateOptions,
): Promise<Rotation> {
  const { driver, plane } = await resolvePlane({ drivers, ui }, selector)
  await finishFirst('rotate', { driver, plane }, { ui, signal, isDryRun })
  const certificates = (await driver.certificates.list(plane))
    .filter(({ kind }) => kind === 'leaf')
    .map(({ name }) => name)
  const proposal = {
    steps: [{ action: 'renew-certificates', certificates } as const],
    question: `Renew ${certificates.length} certificates of "${plane.name}"?`,
    refusal: `the certificates of "${plane.name}" were left unchanged`,
  }
  if (!(await agreeTo(ui, { ...proposal, isConfirmed, isDryRun }))) {
    return { plane, certificates }
  }
  return { plane, certificates: await driver.certificates.renewLeaves(plane, { ui, signal }) }
}
