import type { Ui } from '../../shared/ui.ts'
import type { Driver } from '../driver.ts'
import type { Plane } from '../plane.ts'
import { type AccessDependencies, type AccessStore, openAccess } from './access.ts'
import type { PlaneSelector } from './look-up.ts'
import { resolvePlane } from './resolve-plane.ts'

export interface ChangeOptions extends PlaneSelector {
  signal: AbortSignal
}

/**
 * Stops a plane's components and keeps its data and contexts; a plane that rests already is fine.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`.
 */
export async function pauseControlPlane(
  { accesses, drivers, ui }: { drivers: readonly Driver[]; accesses: AccessStore; ui: Ui },
  { signal, ...selector }: ChangeOptions,
): Promise<Plane> {
  const { driver, plane } = await resolvePlane({ drivers, ui }, selector)
  await driver.pause(plane, { ui, signal })
  if (driver.name === 'kubernetes') {
    // A tunnel goes on answering: without a credential at hand the plugin looks how the plane is, and starts it.
    await accesses.remove(plane)
  }
  return { ...plane, desired: 'paused' }
}

/**
 * Starts a plane's components and waits until it can be used; a plane that runs is fine.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, and what `waitUntilReady` throws.
 */
export async function resumeControlPlane(
  { drivers, ...deps }: AccessDependencies & { drivers: readonly Driver[] },
  { signal, timeoutMs, ...selector }: ChangeOptions & { timeoutMs: number },
): Promise<Plane> {
  const { driver, plane } = await resolvePlane({ drivers, ui: deps.ui }, selector)
  await openAccess(deps, { driver, plane, timeoutMs, signal })
  return { ...plane, desired: 'running' }
}
