import type { DefaultValue } from '../../control-plane/explain/default-values.ts'
import type { ExplainedField } from '../../control-plane/explain/explain-field.ts'
import { type SpecField, typeOf } from '../../control-plane/explain/spec-schema.ts'
import type { AnyComponentName } from '../../control-plane/plane/plane.ts'
import { hintTexts } from '../catalog/hint-text.ts'

/** A field in a list of fields. */
export interface FieldResult {
  path: string
  type: string
  description: string | null
  required: boolean
}

/** A field of a spec, explained. */
export interface FieldDetails extends FieldResult {
  /** Empty when vplane gives it no value. */
  defaults: DefaultValue[]
  /** Null when it is not a choice among a few. */
  values: Array<string | number | boolean> | null
  minimum: number | null
  maximum: number | null
  /** Null when it may change. */
  fixed: { why: string; instead: string[] } | null
  restarts: AnyComponentName[]
}

export interface ExplainResult {
  /** Null when all fields were asked for. */
  field: FieldDetails | null
  /** The fields below it. */
  fields: FieldResult[]
}

export function toExplainResult(
  field: ExplainedField | undefined,
  below: readonly SpecField[],
): ExplainResult {
  return { field: field === undefined ? null : toDetails(field), fields: below.map(toFieldResult) }
}

function toDetails(field: ExplainedField): FieldDetails {
  const { defaults, fixed, restarts, schema } = field
  const choices = schema.enum ?? schema.items?.enum
  return {
    ...toFieldResult(field),
    defaults,
    values: schema.type === 'boolean' ? [true, false] : choices === undefined ? null : [...choices],
    minimum: schema.minimum ?? null,
    maximum: schema.maximum ?? null,
    fixed: fixed === undefined ? null : { why: fixed.why, instead: hintTexts(fixed.instead) },
    restarts,
  }
}

function toFieldResult({ isRequired, path, schema }: SpecField): FieldResult {
  return {
    path,
    type: typeOf(schema),
    description: schema.description ?? null,
    required: isRequired,
  }
}
