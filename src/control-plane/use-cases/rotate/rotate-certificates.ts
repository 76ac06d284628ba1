import type { Ui } from '../../../shared/ui.ts'
import type { Driver } from '../../driver/driver.ts'
import type { Plane } from '../../plane/plane.ts'
import { agreeTo } from '../change/agree-to.ts'
import type { PlaneSelector } from '../find/find-planes.ts'
import { resolvePlane } from '../find/resolve-plane.ts'

export interface RotateOptions extends PlaneSelector {
  /** Do not ask. */
  isConfirmed: boolean
  /** Say what would be done, and do nothing. */
  isDryRun: boolean
  signal: AbortSignal
}

export interface Rotation {
  plane: Plane
  /** The leaf certificates that were issued anew, or would be. */
  certificates: string[]
}

/**
 * Issues all leaf certificates of a plane anew, without stopping anything.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, `ABORTED` after a no, `USAGE` when nobody can be asked.
 */
export async function rotateCertificates(
  { drivers, ui }: { drivers: readonly Driver[]; ui: Ui },
  { isConfirmed, isDryRun, signal, ...selector }: RotateOptions,
): Promise<Rotation> {
  const { driver, plane } = await resolvePlane({ drivers, ui }, selector)
  const certificates = (await driver.certificates.list(plane))
    .filter(({ kind }) => kind === 'leaf')
    .map(({ name }) => name)
  const proposal = {
    lines: ['Will be issued anew, while the plane runs:', ...certificates.map((one) => `  ${one}`)],
    question: `Issue ${certificates.length} certificates of "${plane.name}" anew?`,
    refusal: `the certificates of "${plane.name}" stay as they are`,
  }
  if (!(await agreeTo(ui, { ...proposal, isConfirmed, isDryRun }))) {
    return { plane, certificates }
  }
  return { plane, certificates: await driver.certificates.renewLeaves(plane, { ui, signal }) }
}
