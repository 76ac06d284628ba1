import type { PlaneSpec, UserSpec } from './spec.ts'

/** The two specs of a plane: the user's own, and the one with every default filled in. */
export interface PlaneSpecs {
  userSpec: UserSpec
  spec: PlaneSpec
}

/** The two specs of an object, without its other fields. */
export function specsOf({ spec, userSpec }: PlaneSpecs): PlaneSpecs {
  return { userSpec, spec }
}
