import { VplaneError } from '../../../shared/errors.ts'
import type { Hint } from '../../../shared/hint.ts'
import { type AnyComponentName, componentsOf, type Plane } from '../../plane/plane.ts'

/**
 * Refuses a component that not every plane has, of a plane without it.
 *
 * @param withOther what would do with another one
 * @throws {VplaneError} `USAGE` when the plane has no such component.
 */
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
