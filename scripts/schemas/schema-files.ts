import { z } from 'zod'
import { userSpecSchema } from '../../src/control-plane/spec/spec.ts'
import { controlPlaneCrd } from './control-plane-crd.ts'
import { RESULT_SCHEMAS } from './result-schemas.ts'

/** The JSON schemas that are checked in, by their path below `schemas/`. */
export function schemaFiles(): Map<string, string> {
  const results = Object.entries(RESULT_SCHEMAS).map(([command, schema]) => {
    const title =
      command === 'error'
        ? 'What every vplane command prints with --json if it fails'
        : `Result of vplane ${command.replaceAll('-', ' ')} --json`
    return [`results/${command}.json`, format(toJsonSchema(schema), title)] as const
  })
  const userSpec = toJsonSchema(userSpecSchema)
  const crd = controlPlaneCrd(userSpec)
  return new Map([
    ['control-plane-spec.json', specSchema(userSpec)],
    ['crds/controlplanes.vplane.dev.json', `${JSON.stringify(crd, null, 2)}\n`],
    ...results,
  ])
}

/** Spec files may name their schema, for editors. */
function specSchema(schema: Record<string, unknown>): string {
  const properties = { $schema: { type: 'string' }, ...Object(schema['properties']) }
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
