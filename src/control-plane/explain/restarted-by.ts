import { isDeepStrictEqual } from 'node:util'
import { putField } from '../changes/fixed-fields.ts'
import { syncSwitch } from '../changes/sync-switch.ts'
import { ALL_COMPONENT_NAMES, type AnyComponentName, SPEC_SECTION } from '../plane/plane.ts'
import { resolveSpec } from '../spec/resolve-spec.ts'
import type { PlaneSpec, UserSpec } from '../spec/spec.ts'
import { HOSTED, LOCAL } from './default-values.ts'
import { isMap, type SpecField, type SpecSchema } from './spec-schema.ts'

/** Tells which components a change from one spec to another restarts. */
export type CompareSpecs = (before: PlaneSpec, after: PlaneSpec) => readonly AnyComponentName[]

/** Planes with and without pods, with everything that a spec can be about. */
const PLANES: readonly UserSpec[] = [LOCAL, { ...LOCAL, sync: {} }, HOSTED]

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
      const found = comparedWith({ before, user: withField(plane, names, value), path }, compare)
      return found === undefined ? [] : [found]
    })
  })
  return ALL_COMPONENT_NAMES.filter((name) =>
    compared.length === 0 ? SPEC_SECTION[name] === names[0] : compared.flat().includes(name),
  )
}

/** A value or two that differ, as a field may have them; made up, so that texts have no special form. */
function sampleValues(schema: SpecSchema): unknown[] {
  const { anyOf, enum: choices, items, properties, type } = schema
  if (choices !== undefined) {
    return [choices.at(0), choices.at(-1)]
  }
  if (anyOf !== undefined) {
    return anyOf.slice(0, 1).flatMap(sampleValues)
  }
  if (items !== undefined) {
    return [sampleValues(items).slice(0, 1)]
  }
  if (properties !== undefined && Object.keys(properties).length > 0) {
    const samples = Object.entries(properties).map(
      ([name, inner]) => [name, sampleValues(inner)] as const,
    )
    return [0, -1].map((index) =>
      Object.fromEntries(samples.map(([name, values]) => [name, values.at(index)])),
    )
  }
  switch (type ?? 'any') {
    case 'boolean': {
      return [true, false]
    }
    case 'integer': {
      return [schema.minimum ?? 1, schema.maximum ?? 2]
    }
    case 'object': {
      const [value] = isMap(schema) ? sampleValues(schema.additionalProperties) : ['sample']
      return [{ sample: value }]
    }
    default: {
      return ['sample']
    }
  }
}

function withField(spec: UserSpec, path: readonly string[], value: unknown): UserSpec {
  // The schema says which values a field may have; the fields around it were right before.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only drafts, which nobody stores, have such values
  return putField(spec, path, value) as UserSpec
}

/** Undefined when no plane could be changed like that. */
function comparedWith(
  { before, path, user }: { before: PlaneSpec; user: UserSpec; path: string },
  compare: CompareSpecs,
): readonly AnyComponentName[] | undefined {
  try {
    const after = resolveSpec(user, 'kubernetes')
    if (isDeepStrictEqual(before, after)) {
      return []
    }
    // A field of a section that the plane lacks is not what would switch pods on.
    const isMeant = path === 'sync.enabled' || syncSwitch(before, after) === undefined
    return isMeant ? compare(before, after) : undefined
  } catch {
    // A sample is not always valid, such as the name of a flag.
    return undefined
  }
}
