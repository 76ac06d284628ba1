import { VplaneError } from '../../../shared/errors.ts'
import { changedSpec } from '../../changes/changed-spec.ts'
import { ownDeclaration } from '../../declared/own-declaration.ts'
import type { Operators } from '../../declared/operators.ts'
import type { Plane } from '../../plane/plane.ts'
import type { ChangeDependencies } from '../change/change-control-plane.ts'
import { changeOwner } from './change-owner.ts'
import type { PlaneSelector } from '../find/find-planes.ts'
import { finishFirst } from '../find/finish-first.ts'
import { resolvePlane } from '../find/resolve-plane.ts'

export interface OwnershipDependencies extends Omit<ChangeDependencies, 'openOperators'> {
  openOperators: () => Promise<Operators>
}

export interface OwnershipOptions extends PlaneSelector {
  timeoutMs: number
  signal: AbortSignal
}

export interface OwnershipResult {
  plane: Plane
  /** False when it was so before. */
  isChanged: boolean
}

/**
 * Declares a plane with its spec by a ControlPlane of its name, whose operator keeps it from then on, in place of the
 * keeper of its namespace.
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, `UNSUPPORTED` for a local plane, `INVALID_SPEC` for one that cannot be
 * declared, `NOT_FOUND` without the CRD, and what a change throws.
 */
export async function adoptControlPlane(
  deps: OwnershipDependencies,
  { signal, timeoutMs, ...selector }: OwnershipOptions,
): Promise<OwnershipResult> {
  const { driver, plane } = await resolvePlane(deps, selector)
  await finishFirst('change', { driver, plane }, { ui: deps.ui, signal, timeoutMs })
  const place = placeIn(plane)
  // Not every plane can be declared, and a ControlPlane would stay.
  changedSpec(plane, plane.userSpec, { declaredBy: 'the ControlPlane' })
  const operators = await deps.openOperators()
  deps.ui.step(`Declaring "${plane.name}"`)
  const { uid } = await operators.declare(place, plane.userSpec, signal)
  if (plane.declaredBy === uid) {
    return { plane, isChanged: false }
  }
  const adopted = await changeOwner(deps, { driver, plane, timeoutMs, signal }, uid)
  return { plane: adopted, isChanged: true }
}

/**
 * Deletes the ControlPlane of a plane, and lets the plane stay as it is, with a keeper if it has duties.
 * @throws {VplaneError} as `adoptControlPlane` does.
 */
export async function releaseControlPlane(
  deps: OwnershipDependencies,
  { signal, timeoutMs, ...selector }: OwnershipOptions,
): Promise<OwnershipResult> {
  const { driver, plane } = await resolvePlane(deps, selector)
  if (plane.declaredBy === undefined) {
    return { plane, isChanged: false }
  }
  const operators = await deps.openOperators()
  await finishFirst('change', { driver, plane }, { ui: deps.ui, signal, timeoutMs })
  const released = await changeOwner(deps, { driver, plane, timeoutMs, signal }, null)
  const own = await ownDeclaration(operators, plane, signal)
  if (own !== undefined) {
    await operators.withdraw(own, signal)
    await operators.free(own, signal)
  }
  return { plane: released, isChanged: true }
}

function placeIn({ driver, name, namespace }: Plane): { name: string; namespace: string } {
  if (namespace === undefined) {
    throw new VplaneError(
      'UNSUPPORTED',
      `"${name}" runs with the driver "${driver}": operators keep planes in host clusters`,
    )
  }
  return { name, namespace }
}
