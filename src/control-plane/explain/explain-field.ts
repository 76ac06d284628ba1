import { VplaneError } from '../../shared/errors.ts'
import type { Hint } from '../../shared/hint.ts'
import { whyFixed } from '../changes/fixed-fields.ts'
import type { AnyComponentName } from '../plane/plane.ts'
import { type DefaultValue, defaultValues } from './default-values.ts'
import { type CompareSpecs, restartedBy } from './restarted-by.ts'
import {
  allFields,
  closestPath,
  fieldAtPath,
  fieldsBelow,
  type SpecField,
  type SpecSchema,
} from './spec-schema.ts'

/** What a field of a spec is, and what a change of it does. */
export interface ExplainedField extends SpecField {
  defaults: DefaultValue[]
  /** Why the field never changes, and what to do instead. @default it may change */
  fixed?: { why: string; instead: Hint[] }
  /** The components that a change restarts, in the order of their start. */
  restarts: AnyComponentName[]
}

/** @throws {VplaneError} `NOT_FOUND` with the most likely path when there is no such field. */
export function explainField(
  root: SpecSchema,
  path: string,
  compare: CompareSpecs,
): ExplainedField {
  const field = requireField(root, path)
  const fixed = whyAllFixed(field)
  return {
    ...field,
    defaults: fieldsBelow(field).length > 0 ? [] : defaultValues(path.split('.')),
    ...(fixed === undefined ? {} : { fixed: { why: fixed.why, instead: fixed.instead('NAME') } }),
    restarts: fixed === undefined ? restartedBy(field, compare) : [],
  }
}

/** A section is fixed if all of its fields are. */
function whyAllFixed(field: SpecField): ReturnType<typeof whyFixed> {
  const below = fieldsBelow(field).map(whyAllFixed)
  return whyFixed(field.path) ?? (below.includes(undefined) ? undefined : below[0])
}

/** The fields below a path, or below the whole spec for an empty one; at any depth, if asked for. */
export function fieldsUnder(
  root: SpecSchema,
  path: string,
  { recursive }: { recursive: boolean },
): SpecField[] {
  const field = path === '' ? { path, schema: root } : requireField(root, path)
  return recursive ? allFields(field) : fieldsBelow(field)
}

function requireField(root: SpecSchema, path: string): SpecField {
  const field = fieldAtPath(root, path)
  if (field === undefined) {
    const closest = closestPath(root, path)
    throw new VplaneError('NOT_FOUND', `a spec has no field "${path}"`, {
      hints: [
        ...(closest === undefined ? [] : [`did you mean "${closest}"?`]),
        { purpose: 'to list all fields', action: 'explain', recursive: true },
      ],
    })
  }
  return field
}
