import { isMap, type SpecSchema } from './spec-schema.ts'

/** A value or two that differ, as a field may have them; made up, so that texts have no special form. */
export function sampleValues(schema: SpecSchema): unknown[] {
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
