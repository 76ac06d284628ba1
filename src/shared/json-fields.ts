/** A JSON object from outside of vplane: its fields may have any type, whatever its schema requires. */
export type Json = Record<string, unknown>

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value at a path of fields; undefined when it is missing. */
export function fieldAt(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (parent, field) => (isRecord(parent) ? parent[field] : undefined),
    value,
  )
}

/** The JSON object at a path; undefined when it is missing. */
export function recordAt(value: unknown, ...path: string[]): Json | undefined {
  const found = fieldAt(value, ...path)
  return isRecord(found) ? found : undefined
}

/** The array at a path; empty when it is missing. */
export function arrayAt(value: unknown, ...path: string[]): unknown[] {
  const found = fieldAt(value, ...path)
  return Array.isArray(found) ? found : []
}

/** The JSON objects of the array at a path; empty when the array is missing. */
export function recordsAt(value: unknown, ...path: string[]): Json[] {
  return arrayAt(value, ...path).filter(isRecord)
}

/** The string at a path; undefined when it is missing or empty. */
export function textAt(value: unknown, ...path: string[]): string | undefined {
  const found = fieldAt(value, ...path)
  return typeof found === 'string' && found !== '' ? found : undefined
}

/** The strings of the array at a path; empty when the array is missing. */
export function textsAt(value: unknown, ...path: string[]): string[] {
  return arrayAt(value, ...path).filter((one) => typeof one === 'string')
}

/** The number at a path; undefined when it is missing. */
export function numberAt(value: unknown, ...path: string[]): number | undefined {
  const found = fieldAt(value, ...path)
  return typeof found === 'number' ? found : undefined
}

/** The strings of the JSON object at a path, by their keys. */
export function textMapAt(value: unknown, ...path: string[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(recordAt(value, ...path) ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  )
}
