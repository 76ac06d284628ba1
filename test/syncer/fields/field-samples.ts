import { isRecord, type Json } from '../../../src/shared/json-fields.ts'

/** A field of a kind, such as `spec.containers[].image`, and its type, as in the files of `openapi/`. */
export type FieldType = readonly [path: string, type: string]

/** What the samples have in fields of text, which nothing else has. */
export const MARK = 'mark'

const NUMBER = 4711
const SAMPLES: Record<string, unknown> = {
  boolean: true,
  fields: {},
  integer: NUMBER,
  'number or text': NUMBER,
  quantity: String(NUMBER),
  string: MARK,
  time: '2026-01-02T03:04:05Z',
}

/** The value that a field has in the sample of it. */
export function sampleValue([path, type]: FieldType): unknown {
  const value = SAMPLES[type]
  if (value === undefined) {
    throw new Error(`no sample of type ${type}`)
  }
  return path.endsWith('[]') ? [value] : path.endsWith('{}') ? { [MARK]: value } : value
}

/** An object with one field alone, each list on the way to it with one record. */
export function sampleOf(field: FieldType, sample = sampleValue(field)): Json {
  const [head = '', ...rest] = field[0]
    .replace(/(\[\]|\{\})$/, '')
    .split('.')
    .toReversed()
  let value: Json = { [head.replace('[]', '')]: sample }
  for (const part of rest) {
    value = part.endsWith('[]') ? { [part.slice(0, -2)]: [value] } : { [part]: value }
  }
  return value
}

/** The values of a field in an object, in all records of lists on the way. */
export function valuesAt(object: unknown, path: string): unknown[] {
  return path
    .replace(/(\[\]|\{\})$/, '')
    .split('.')
    .reduce<unknown[]>(
      (parents, part) =>
        parents.flatMap((parent) => {
          const found = isRecord(parent) ? parent[part.replace('[]', '')] : undefined
          return part.endsWith('[]') && Array.isArray(found) ? found : [found]
        }),
      [object],
    )
}

/** Both objects in one: records are merged, and lists element by element. */
export function merged(one: unknown, other: unknown): unknown {
  if (isRecord(one) && isRecord(other)) {
    const fields = [...new Set([...Object.keys(one), ...Object.keys(other)])]
    return Object.fromEntries(fields.map((field) => [field, merged(one[field], other[field])]))
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    const length = Math.max(one.length, other.length)
    return Array.from({ length }, (_, index) => merged(one[index], other[index]))
  }
  return one ?? other
}
