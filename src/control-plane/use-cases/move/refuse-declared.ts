import { VplaneError } from '../../../shared/errors.ts'
import type { Plane } from '../../plane/plane.ts'

/** The operator of a plane cannot make it elsewhere. @throws {VplaneError} `FAILED` for a declared plane. */
export function refuseDeclared({ declaredBy, name, namespace }: Plane): void {
  if (declaredBy !== undefined) {
    throw new VplaneError('FAILED', `"${name}" is declared by a ControlPlane, which cannot move`, {
      hints: [
        { purpose: 'to move it without that', action: 'release', plane: { name, namespace } },
      ],
    })
  }
}
