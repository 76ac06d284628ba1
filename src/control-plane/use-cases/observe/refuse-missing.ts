import { VplaneError } from '../../../shared/errors.ts'
import type { Hint } from '../../../shared/hint.ts'
import { type AnyComponentName, componentsOf, type Plane } from '../../plane/plane.ts'

/** @throws {VplaneError} `USAGE` with hints for others, when the plane does not have it. */
export function refuseMissing(
  { name, spec }: Plane,
  component: AnyComponentName,
  withOther: (component: AnyComponentName) => Hint,
): void {
  const all = componentsOf(spec)
  if (!all.includes(component)) {
    throw new VplaneError('USAGE', `"${name}" has no ${component}`, { hints: all.map(withOther) })
  }
}
