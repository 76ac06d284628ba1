import { changedSpec, type SpecChange } from '../../changes/changed-spec.ts'
import type { Plane } from '../../plane/plane.ts'
import {
  type AppliedChange,
  applyChange,
  type ChangeDependencies,
} from '../change/change-control-plane.ts'

/** Records which ControlPlane declares a plane, or that none does, and changes nothing but its keeper. */
export async function changeOwner(
  deps: ChangeDependencies,
  target: Omit<AppliedChange, 'change'>,
  declaredBy: NonNullable<SpecChange['declaredBy']> | null,
): Promise<Plane> {
  const { plane } = target
  const change = changedSpec(plane, plane.userSpec, { declaredBy })
  return applyChange(deps, { ...target, change })
}
