import { isDeepStrictEqual } from 'node:util'
import { VplaneError } from '../../shared/errors.ts'
import type { SpecChange } from './changed-spec.ts'
import type { PlaneSpecs } from '../spec/plane-specs.ts'

/**
 * The specs of a locked plane after a change. An interrupted change that stored its specs continues.
 *
 * @throws {VplaneError} `CONFLICT` when the plane no longer has the specs from which the change was computed, so that
 * another change would be lost.
 */
export function specsAfter(
  { name, ...stored }: PlaneSpecs & { name: string },
  { from, spec, userSpec }: SpecChange,
): PlaneSpecs {
  const specs = { userSpec, spec }
  if (![from, specs].some((one) => isSame(one, stored))) {
    throw new VplaneError('CONFLICT', `"${name}" was changed meanwhile`, {
      hints: ['run the same command again: it uses the current spec of the plane'],
    })
  }
  return specs
}

function isSame(left: PlaneSpecs, right: PlaneSpecs): boolean {
  return (
    isDeepStrictEqual(left.spec, right.spec) && isDeepStrictEqual(left.userSpec, right.userSpec)
  )
}
