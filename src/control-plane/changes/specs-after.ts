import { isDeepStrictEqual } from 'node:util'
import { VplaneError } from '../../shared/errors.ts'
import type { SpecChange } from './changed-spec.ts'
import type { PlaneSpecs } from '../spec/plane-specs.ts'

/**
 * The specs that a change gives to a plane as it is stored, while nobody else changes it. One that was cut off after it was
 * stored goes on.
 *
 * @throws {VplaneError} `CONFLICT` when the plane is not any more what the change was made from: what somebody else has
 * changed would be lost.
 */
export function specsAfter(
  { name, ...stored }: PlaneSpecs & { name: string },
  { from, spec, userSpec }: SpecChange,
): PlaneSpecs {
  const specs = { userSpec, spec }
  if (![from, specs].some((one) => isSame(one, stored))) {
    throw new VplaneError('CONFLICT', `"${name}" was changed meanwhile`, {
      hints: ['run the same command again: it goes by what the plane is now'],
    })
  }
  return specs
}

function isSame(left: PlaneSpecs, right: PlaneSpecs): boolean {
  return (
    isDeepStrictEqual(left.spec, right.spec) && isDeepStrictEqual(left.userSpec, right.userSpec)
  )
}
