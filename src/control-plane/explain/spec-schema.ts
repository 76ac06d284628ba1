import { closestTo } from '../../shared/text/closest.ts'

/** What vplane uses of the JSON schema of a spec, which is generated from `userSpecSchema`. */
export interface SpecSchema {
  type?: string
  description?: string
  enum?: ReadonlyArray<string | number>
  minimum?: number
  maximum?: number
  properties?: Readonly<Record<string, SpecSchema>>
  required?: readonly string[]
  items?: SpecSchema
  additionalProperties?: SpecSchema | boolean
  anyOf?: readonly SpecSchema[]
}

export interface SpecField {
  path: string
  schema: SpecSchema
  isRequired: boolean
}

/** What a file may have that is no field of a spec: its schema for editors, and the name of the plane. */
const OUTSIDE = new Set(['$schema', 'name'])

/** The fields right below a schema; none when users choose the names. */
export function fieldsBelow({ path, schema }: Pick<SpecField, 'path' | 'schema'>): SpecField[] {
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => path !== '' || !OUTSIDE.has(name))
    .map(([name, inner]) => ({
      path: path === '' ? name : `${path}.${name}`,
      schema: inner,
      isRequired: schema.required?.includes(name) ?? false,
    }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

/** All fields at any depth, each before those below it. */
export function allFields(field: Pick<SpecField, 'path' | 'schema'>): SpecField[] {
  return fieldsBelow(field).flatMap((one) => [one, ...allFields(one)])
}

/** The field at a path, also below a map, where users choose the names; undefined when there is none. */
export function fieldAtPath(root: SpecSchema, path: string): SpecField | undefined {
  const spec: SpecField = { path: '', schema: root, isRequired: true }
  return path.split('.').reduce<SpecField | undefined>((field, name) => {
    const known = field && fieldsBelow(field).find((one) => one.path === join(field.path, name))
    const value = field?.schema.additionalProperties
    return field !== undefined && known === undefined && typeof value === 'object' && name !== ''
      ? { path: join(field.path, name), schema: value, isRequired: false }
      : known
  }, spec)
}

/** The path that was most likely meant: one of the same parent, or one that ends with the same name. */
export function closestPath(root: SpecSchema, path: string): string | undefined {
  const names = path.split('.')
  const spec = { path: '', schema: root }
  const end = names.findIndex(
    (_, index) => fieldAtPath(root, names.slice(0, index + 1).join('.')) === undefined,
  )
  const parent = end === 0 ? spec : fieldAtPath(root, names.slice(0, end).join('.'))
  const siblings = parent === undefined ? [] : fieldsBelow(parent).map((field) => field.path)
  const wrong = names.slice(0, end + 1).join('.')
  const [elsewhere] = allFields(spec).filter((field) => field.path.endsWith(`.${names.at(-1)}`))
  const closest = closestTo(wrong, siblings)
  const whole = closest === undefined ? '' : [closest, ...names.slice(end + 1)].join('.')
  return fieldAtPath(root, whole) === undefined ? (closest ?? elsewhere?.path) : whole
}

/** A type as `kubectl explain` writes it: `string`, `[]string`, `map[string]boolean`, `Object`. */
export function typeOf(schema: SpecSchema): string {
  if (schema.anyOf !== undefined) {
    return schema.anyOf.map(typeOf).join(' or ')
  }
  if (schema.items !== undefined) {
    return `[]${typeOf(schema.items)}`
  }
  const { enum: choices = [], type = 'any' } = schema
  if (type === 'object') {
    return isMap(schema) ? `map[string]${typeOf(schema.additionalProperties)}` : 'Object'
  }
  return choices.length > 0 && choices.every(Number.isInteger) ? 'integer' : type
}

/** Tells a map, in which users choose the names, from an object with fields, and from one of any content. */
export function isMap(
  schema: SpecSchema,
): schema is SpecSchema & { additionalProperties: SpecSchema } {
  const { additionalProperties: values } = schema
  return typeof values === 'object' && Object.keys(values).length > 0
}

function join(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`
}
