/** Tells a JSON object from every other JSON value. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What lies at a path of fields in some JSON; undefined when there is nothing. */
export function fieldAt(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (parent, field) => (isRecord(parent) ? parent[field] : undefined),
    value,
  )
}

/** The JSON objects of the array at a path; none when there is no array. */
export function recordsAt(value: unknown, ...path: string[]): Array<Record<string, unknown>> {
  const found = fieldAt(value, ...path)
  return Array.isArray(found) ? found.filter(isRecord) : []
}

/** The text at a path; empty when there is none. */
export function textAt(value: unknown, ...path: string[]): string {
  const found = fieldAt(value, ...path)
  return typeof found === 'string' ? found : ''
}
