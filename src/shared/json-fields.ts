/** A JSON object that somebody else wrote: read with care, whatever its schema says. */
export type Json = Record<string, unknown>

/** Tells a JSON object from every other JSON value. */
export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What lies at a path of fields in some JSON; undefined when there is nothing. */
export function fieldAt(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (parent, field) => (isRecord(parent) ? parent[field] : undefined),
    value,
  )
}

/** The JSON object at a path. */
export function recordAt(value: unknown, ...path: string[]): Json | undefined {
  const found = fieldAt(value, ...path)
  return isRecord(found) ? found : undefined
}

/** The array at a path; empty when there is none. */
export function arrayAt(value: unknown, ...path: string[]): unknown[] {
  const found = fieldAt(value, ...path)
  return Array.isArray(found) ? found : []
}

/** The JSON objects of the array at a path; none when there is no array. */
export function recordsAt(value: unknown, ...path: string[]): Json[] {
  return arrayAt(value, ...path).filter(isRecord)
}

/** The text at a path, unless it is empty. */
export function textAt(value: unknown, ...path: string[]): string | undefined {
  const found = fieldAt(value, ...path)
  return typeof found === 'string' && found !== '' ? found : undefined
}

/** The texts of the array at a path; none when there is no array. */
export function textsAt(value: unknown, ...path: string[]): string[] {
  return arrayAt(value, ...path).filter((one) => typeof one === 'string')
}

/** The number at a path, whole or not. */
export function numberAt(value: unknown, ...path: string[]): number | undefined {
  const found = fieldAt(value, ...path)
  return typeof found === 'number' ? found : undefined
}

/** The texts of the JSON object at a path, by their keys. */
export function textMapAt(value: unknown, ...path: string[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(recordAt(value, ...path) ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  )
}
