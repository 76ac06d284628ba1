import type { Json } from '../../shared/json-fields.ts'

/** The fields that have a value. */
export function provided(record: Json): Json {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => isProvided(value)))
}

/** These fields, if they have a value. */
export function picked(record: Json, fields: readonly string[]): Json {
  return Object.fromEntries(
    Object.entries(record).filter(([field, value]) => fields.includes(field) && isProvided(value)),
  )
}

/** To the API, `null` and an empty list mean the same as a missing field. */
export function isProvided(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
}
