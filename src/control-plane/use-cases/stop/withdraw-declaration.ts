import { VplaneError } from '../../../shared/errors.ts'
import type { Operators } from '../../declared/operators.ts'
import { ownDeclaration } from '../../declared/own-declaration.ts'
import type { Plane } from '../../plane/plane.ts'
import { isReadable, type UnreadablePlane } from '../../plane/unreadable-plane.ts'

export type OpenOperators = () => Promise<
  Pick<Operators, 'amend' | 'declarations' | 'free' | 'withdraw'>
>

/**
 * Deletes the ControlPlane of a declared plane, so that no operator creates that again, and returns what lets it end with the
 * plane. Its operator deletes the plane, too, and so must know that the data is to be left.
 */
export async function withdrawDeclaration(
  openOperators: OpenOperators | undefined,
  plane: Plane | UnreadablePlane,
  { leaveData, signal }: { leaveData: boolean; signal: AbortSignal },
): Promise<{ free: () => Promise<void> } | undefined> {
  if (!isReadable(plane) || plane.declaredBy === undefined || openOperators === undefined) {
    return undefined
  }
  const operators = await openOperators()
  const own = await ownDeclaration(operators, plane, signal)
  if (own === undefined) {
    return undefined
  }
  if (leaveData) {
    await operators.amend(own, [{ path: ['deletionPolicy'], value: 'LeaveData' }], signal)
  }
  await operators.withdraw(own, signal)
  return { free: () => operators.free(own, signal) }
}

/** The error of a deletion that the operator of a withdrawn ControlPlane continues. */
export function leftToOperator(error: unknown): unknown {
  return error instanceof VplaneError
    ? new VplaneError(error.code, error.message, {
        hints: [...error.hints, 'its ControlPlane is being deleted: the operator tries again'],
        cause: error,
      })
    : error
}
