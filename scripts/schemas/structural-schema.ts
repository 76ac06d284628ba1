import { isRecord, type Json } from '../../src/shared/json-fields.ts'

/** What a JSON schema says that a CustomResourceDefinition says in the same words. */
const KEPT = [
  'description',
  'enum',
  'items',
  'maximum',
  'maxItems',
  'maxLength',
  'minimum',
  'minItems',
  'minLength',
  'pattern',
  'properties',
  'required',
  'type',
]

/** In a schema whose fields may be any. */
export const KEEP_UNKNOWN = { 'x-kubernetes-preserve-unknown-fields': true }

/** What it says that a structural schema cannot say, or says in another way. */
const TRANSLATED = ['additionalProperties', 'anyOf', 'const', 'propertyNames']

/**
 * The structural schema for a JSON schema of zod: what API servers accept in a CustomResourceDefinition
 * (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema).
 * It accepts more: names of a map may be any, and a field with several types has no type. Unknown fields are no part of it;
 * API servers prune or refuse them.
 *
 * @throws {Error} for a keyword that it does not know
 */
export function toStructuralSchema(schema: Json): Json {
  const unknown = Object.keys(schema).filter((key) => ![...KEPT, ...TRANSLATED].includes(key))
  if (unknown.length > 0) {
    throw new Error(`a structural schema has nothing for ${unknown.join(', ')}`)
  }
  const { description } = schema
  if (schema['anyOf'] !== undefined) {
    return { description, ...KEEP_UNKNOWN }
  }
  const { additionalProperties: others, const: only, items, properties, ...rest } = schema
  delete rest['propertyNames']
  return {
    ...rest,
    ...(only === undefined ? {} : { enum: [only] }),
    ...(isRecord(items) ? { items: toStructuralSchema(items) } : {}),
    ...(isRecord(properties) ? toProperties(properties) : {}),
    ...(isRecord(others) ? toOthers(others) : {}),
  }
}

function toProperties(properties: Json): Json {
  const entries = Object.entries(properties).filter((entry): entry is [string, Json] =>
    isRecord(entry[1]),
  )
  return entries.length === 0
    ? {}
    : {
        properties: Object.fromEntries(
          entries.map(([name, field]) => [name, toStructuralSchema(field)]),
        ),
      }
}

function toOthers(others: Json): Json {
  return Object.keys(others).length === 0
    ? KEEP_UNKNOWN
    : { additionalProperties: toStructuralSchema(others) }
}
