import type { Json } from '../../shared/json-fields.ts'

/** These fields, where they say something. */
export function picked(record: Json, fields: readonly string[]): Json {
  return Object.fromEntries(
    Object.entries(record).filter(([field, value]) => fields.includes(field) && isProvided(value)),
  )
}

/** Fields that say something and are none of these. */
export function fieldsBeside(record: Json, fields: readonly string[]): string[] {
  return Object.keys(record).filter((field) => !fields.includes(field) && isProvided(record[field]))
}

/** Tells a value from one that means the same as none. */
function isProvided(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
}
