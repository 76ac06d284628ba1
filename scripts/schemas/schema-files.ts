import { z } from 'zod'
import { podTemplate } from '../../src/control-plane/spec/fields/workload-fields.ts'
import { userSpecSchema } from '../../src/control-plane/spec/spec.ts'
import { admissionPolicies } from './admission/admission-policies.ts'
import { controlPlaneLimitsCrd } from './control-plane-limits-crd.ts'
import { controlPlaneCrd } from './control-plane-crd.ts'
import { nestedCrds } from './nested/nested-crds.ts'
import { RESULT_SCHEMAS } from './result-schemas.ts'
import { toStructuralSchema } from './structural-schema.ts'

/** The titles of results that no command alone has. */
const TITLES: Record<string, string> = {
  error: 'What every vplane command prints with --json if it fails',
}

/** The JSON schemas that are checked in, by their path below `schemas/`. */
export function schemaFiles(): Map<string, string> {
  const results = Object.entries(RESULT_SCHEMAS).map(([command, schema]) => {
    const title = TITLES[command] ?? `Result of vplane ${command.replaceAll('-', ' ')} --json`
    return [`results/${command}.json`, format(toJsonSchema(schema), title)] as const
  })
  const userSpec = toJsonSchema(userSpecSchema)
  const objects = {
    'crds/controlplanes.vplane.dev': controlPlaneCrd(userSpec),
    'crds/controlplanelimits.vplane.dev': controlPlaneLimitsCrd(),
    ...nestedObjects(),
    'policies/controlplanes.vplane.dev': admissionPolicies(),
  }
  return new Map([
    ['control-plane-spec.json', specSchema(userSpec)],
    ...Object.entries(objects).map(
      ([name, object]) => [`${name}.json`, `${JSON.stringify(object, null, 2)}\n`] as const,
    ),
    ...results,
  ])
}

/** The CustomResourceDefinitions of nested control planes, by their paths. */
function nestedObjects(): Record<string, unknown> {
  const { $schema: _, ...template } = toJsonSchema(podTemplate)
  const crds = Object.entries(nestedCrds(toStructuralSchema(template)))
  return Object.fromEntries(crds.map(([name, crd]) => [`crds/${name}`, crd]))
}

/** Spec files may name their schema, for editors, and their plane. */
function specSchema(schema: Record<string, unknown>): string {
  const name = { type: 'string', description: 'Name of the control plane.' }
  const properties = { $schema: { type: 'string' }, name, ...Object(schema['properties']) }
  return format({ ...schema, properties }, 'Spec of a vplane control plane')
}

function toJsonSchema(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      // The pattern repeats the format, and the bounds are those of any integer in JavaScript.
      if (jsonSchema.format === 'date-time') {
        delete jsonSchema.pattern
      }
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
        delete jsonSchema.maximum
      }
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) {
        delete jsonSchema.minimum
      }
    },
  })
}

function format({ $schema, ...schema }: Record<string, unknown>, title: string): string {
  return `${JSON.stringify({ $schema, title, ...schema }, null, 2)}\n`
}
