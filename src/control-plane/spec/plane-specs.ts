import type { PlaneSpec, UserSpec } from './spec.ts'

/** What a plane is: as its user says it, and with every default filled in. */
export interface PlaneSpecs {
  userSpec: UserSpec
  spec: PlaneSpec
}

/** The specs of whatever has them, and nothing else of it. */
export function specsOf({ spec, userSpec }: PlaneSpecs): PlaneSpecs {
  return { userSpec, spec }
}
