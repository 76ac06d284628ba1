import {
  fieldAtPath,
  fieldsBelow,
  isMap,
  type SpecField,
  type SpecSchema,
} from '../../control-plane/explain/spec-schema.ts'

/** The paths of fields that begin as a word does, one level of fields at a time, with descriptions after a tab. */
export function specPaths(schema: SpecSchema, current: string): string[] {
  return levelOf(schema, current).map((field) => candidate(field.path, field))
}

/** What `PATH=VALUE` may become: paths that end with `.` where fields follow, and else with `=`; after it, values. */
export function specPairs(
  schema: SpecSchema,
  current: string,
  versions: () => readonly string[],
): string[] {
  const [path = '', value] = current.split('=', 2)
  if (value !== undefined) {
    return valuesOf(fieldAtPath(schema, path), versions).map((one) => `${path}=${one}`)
  }
  const [first, ...others] = levelOf(schema, current)
  const isOnlySection = first !== undefined && others.some(({ path }) => isBelow(path, first.path))
  return [...(first === undefined || isOnlySection ? [] : [first]), ...others].map((field) => {
    const hasMore = fieldsBelow(field).length > 0 || isMap(field.schema)
    return candidate(`${field.path}${hasMore ? '.' : '='}`, field)
  })
}

/** The fields of the level that a word has reached; where only a section fits, those in it too. */
function levelOf(schema: SpecSchema, current: string): SpecField[] {
  const parent = current.slice(0, Math.max(current.lastIndexOf('.'), 0))
  const above = parent === '' ? { path: '', schema } : fieldAtPath(schema, parent)
  const fields = above === undefined ? [] : fieldsBelow(above)
  const fitting = fields.filter(({ path }) => path.startsWith(current))
  const [only] = fitting
  return fitting.length === 1 && only !== undefined ? [only, ...fieldsBelow(only)] : fitting
}

function isBelow(path: string, section: string): boolean {
  return path.startsWith(`${section}.`)
}

function valuesOf(
  field: SpecField | undefined,
  versions: () => readonly string[],
): ReadonlyArray<string | number> {
  const { enum: choices = [], type } = field?.schema ?? {}
  return field?.path === 'version' ? versions() : type === 'boolean' ? ['true', 'false'] : choices
}

/** The first sentence of a description is enough beside a word. */
function candidate(word: string, { schema: { description = '' } }: SpecField): string {
  const [sentence = ''] = description.split(/(?<=\.) /)
  return sentence === '' ? word : `${word}\t${sentence}`
}
