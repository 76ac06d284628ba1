import { isDeepStrictEqual } from 'node:util'
import { ALL_COMPONENT_NAMES, type AnyComponentName, SPEC_SECTION } from '../plane/plane.ts'
import { resolveSpec } from '../spec/resolve-spec.ts'
import type { PlaneSpec, UserSpec } from '../spec/spec.ts'
import { sampleValues } from './sample-values.ts'
import type { SpecField } from './spec-schema.ts'
import { withField } from './with-field.ts'

/** Tells which components a change from one spec to another restarts. */
export type CompareSpecs = (before: PlaneSpec, after: PlaneSpec) => readonly AnyComponentName[]

/** Planes with and without pods, with everything that a spec can be about. */
const PLANES: readonly UserSpec[] = [
  { backup: { schedule: 'daily', store: 's3://bucket/planes' } },
  { backup: { schedule: 'daily', store: 's3://bucket/planes' }, sync: {} },
  {
    backup: { schedule: 'daily', store: 's3://bucket/planes' },
    sync: { nodes: true, scheduler: 'virtual' },
  },
]

/**
 * The components that a change of a field restarts, in some plane at least, by comparing planes with sample values;
 * where none of them is valid, the component that the section of the field is about.
 */
export function restartedBy(
  { path, schema }: SpecField,
  compare: CompareSpecs,
): AnyComponentName[] {
  const names = path.split('.')
  const compared = PLANES.flatMap((plane) => {
    const before = resolveSpec(plane, 'kubernetes')
    return sampleValues(schema).flatMap((value) => {
      const found = comparedWith(before, withField(plane, names, value), compare)
      return found === undefined ? [] : [found]
    })
  })
  return ALL_COMPONENT_NAMES.filter((name) =>
    compared.length === 0 ? SPEC_SECTION[name] === names[0] : compared.flat().includes(name),
  )
}

/** Undefined when no plane could be changed like that. */
function comparedWith(
  before: PlaneSpec,
  user: UserSpec,
  compare: CompareSpecs,
): readonly AnyComponentName[] | undefined {
  try {
    const after = resolveSpec(user, 'kubernetes')
    if (isDeepStrictEqual(before, after)) {
      return []
    }
    return hasPods(before) === hasPods(after) ? compare(before, after) : undefined
  } catch {
    // A sample is not always valid, such as the name of a flag.
    return undefined
  }
}

function hasPods({ host }: PlaneSpec): boolean {
  return host?.sync !== undefined
}
