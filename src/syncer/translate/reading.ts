import { isRecord } from '../../kube/kube-object.ts'

/** JSON that a user wrote: read with care, whatever its schema says. */
export type Json = Record<string, unknown>

/** The object in a field. */
export function recordAt(record: Json, field: string): Json | undefined {
  const value = record[field]
  return isRecord(value) ? value : undefined
}

/** The objects in a list in a field; none where there is no list. */
export function recordsAt(record: Json, field: string): Json[] {
  const value = record[field]
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** The text in a field, unless it is empty. */
export function textAt(record: Json, field: string): string | undefined {
  const value = record[field]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The texts in a list in a field; none where there is no list. */
export function textsAt(record: Json, field: string): string[] {
  const value = record[field]
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** The whole or fractional number in a field. */
export function numberAt(record: Json, field: string): number | undefined {
  const value = record[field]
  return typeof value === 'number' ? value : undefined
}

/** The texts of an object in a field, by their keys. */
export function textMapAt(record: Json, field: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(recordAt(record, field) ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  )
}

/** These fields, where they say something. */
export function picked(record: Json, fields: readonly string[]): Json {
  return Object.fromEntries(
    Object.entries(record).filter(([field, value]) => fields.includes(field) && isSaid(value)),
  )
}

/** Fields that say something and are none of these. */
export function fieldsBeside(record: Json, fields: readonly string[]): string[] {
  return Object.keys(record).filter((field) => !fields.includes(field) && isSaid(record[field]))
}

/** Tells a value from one that means the same as none. */
function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
}
