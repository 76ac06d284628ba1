import * as z from 'zod'
import { VplaneError } from '../../shared/errors.ts'
import { fieldAt, isRecord } from '../../shared/json-fields.ts'
import {
  type LocatedYaml,
  parseLocatedYaml,
  type YamlSource,
} from '../../shared/yaml/located-yaml.ts'
import { parseYaml } from '../../shared/yaml/yaml.ts'
import { parseKubernetesVersion } from './kubernetes-version.ts'
import {
  declaredPart,
  describe,
  problemsOf,
  schemaAt,
  type SpecProblem,
  unknownField,
} from './spec-problems.ts'
import { userSpecSchema, type UserSpec } from './spec.ts'

/** Fields that a spec file may contain for editors; they are not part of the spec. */
const ANNOTATIONS = new Set(['$schema'])

/** A file that was read already. */
export interface SpecFile extends LocatedYaml {
  path: string
}

export interface SpecSources {
  file?: YamlSource | SpecFile
  /** `path=value` pairs, later ones win over earlier ones and over the file. */
  set?: readonly string[]
  /** Fields from separate flags, which override both. */
  flags?: UserSpec
}

/**
 * Merges a file, `--set` and flags into one user spec, and validates the result.
 * @throws {VplaneError} `INVALID_SPEC` with a line for each wrong field, which says where it is and why it is wrong,
 * `USAGE` for a malformed `--set` or an unknown version among the flags.
 */
export function parseSpec({ file, set = [], flags = {} }: SpecSources): UserSpec {
  if (flags.version !== undefined) {
    parseKubernetesVersion(flags.version)
  }
  const { fields, placeOf } = file === undefined ? NO_FILE : readFile(file)
  const spec = structuredClone(fields)
  const pairs = set.map((pair) => applySet(spec, pair))
  return checkFields({ ...spec, ...flags }, { pairs, placeOf })
}

/** A user's spec with changed fields: `path=value` sets one as `--set` does, and `path-` removes one. */
export function setSpecFields(spec: UserSpec, pairs: readonly string[]): UserSpec {
  const fields: Record<string, unknown> = structuredClone(spec)
  const set = pairs.map((text) => {
    if (!/^[^=]+-$/.test(text)) {
      return applySet(fields, text)
    }
    const path = pathOf(text.slice(0, -1))
    refuseUnknown(fields, { path, text })
    unset(fields, path)
    return { path, text }
  })
  return checkFields(fields, { pairs: set, placeOf: NO_FILE.placeOf })
}

/** The names in a path. Those of labels and annotations may contain points: `labels.example.com/team`. */
function pathOf(text: string): string[] {
  const names = text.split('.')
  const end = names.findIndex((_, index) => {
    const schema = schemaAt(names.slice(0, index))
    return schema instanceof z.ZodRecord && schema.valueType instanceof z.ZodString
  })
  return end === -1 ? names : [...names.slice(0, end), names.slice(end).join('.')]
}

/** A field that nobody knows would be removed without a word. */
function refuseUnknown(fields: Record<string, unknown>, { path, text }: Pair): void {
  const end = path.findIndex((_, index) => schemaAt(path.slice(0, index + 1)) === undefined)
  if (end !== -1 && fieldAt(fields, ...path) === undefined) {
    throw invalidSpec([unknownField(path.slice(0, end + 1))], () => ({ place: `"${text}"` }))
  }
}

function unset(target: Record<string, unknown>, [name = '', ...rest]: readonly string[]): void {
  const inner = target[name]
  if (rest.length === 0) {
    delete target[name]
  } else if (isRecord(inner)) {
    unset(inner, rest)
  }
}

/** A `path=value` or `path-` of a command line. */
interface Pair {
  path: readonly string[]
  text: string
}

type Path = ReadonlyArray<string | number>

interface Origins {
  pairs: readonly Pair[]
  placeOf: (path: Path) => string | undefined
}

interface Origin {
  place: string | undefined
  /** The field that the place names by itself. @default none */
  named?: Path
}

function checkFields(fields: Record<string, unknown>, origins: Origins): UserSpec {
  const result = userSpecSchema.safeParse(fields)
  if (!result.success) {
    throw invalidSpec(problemsOf(result.error, fields), (path) => originOf(path, origins))
  }
  return result.data
}

/** What says a field, or the nearest field above it: the last pair that does, or else a place in the file. */
function originOf(path: Path, { pairs, placeOf }: Origins): Origin {
  for (let length = path.length; length > 0; length--) {
    const part = path.slice(0, length)
    const above = pairs.findLast((pair) => isWithin(part, pair.path))
    const place = above === undefined ? placeOf(part) : undefined
    const pair =
      above ?? (place === undefined ? pairs.findLast((one) => isWithin(one.path, part)) : undefined)
    if (pair !== undefined) {
      return { place: `"${pair.text}"`, named: pair.path }
    }
    if (place !== undefined) {
      return { place }
    }
  }
  return { place: placeOf([]) }
}

function isWithin(path: Path, other: Path): boolean {
  return other.every((part, index) => String(path[index]) === String(part))
}

/** A line for each problem: `plane.yaml:3:5: unknown field "apiSever": did you mean "apiServer"?`. */
function invalidSpec(
  problems: readonly SpecProblem[],
  origin: (path: Path) => Origin,
): VplaneError {
  const lines = problems.map(({ isUnknownField, path, reason }) => {
    const { named, place = 'the spec is not valid' } = origin(path)
    const field = path.join('.')
    const isNamed = isUnknownField || field === '' || field === named?.join('.')
    return `${place}: ${isNamed ? '' : `${field}: `}${reason}`
  })
  const parents = new Set(problems.map(({ path }) => declaredPart(path).join('.')))
  const [what = ''] = parents.size === 1 ? parents : []
  return new VplaneError('INVALID_SPEC', [...new Set(lines.toSorted(byPlace))].join('\n'), {
    hints: [{ action: 'explain', ...(what === '' ? {} : { what }) }],
  })
}

/** Line 10 comes after line 9. */
const byPlace = new Intl.Collator('en', { numeric: true }).compare

interface FieldsOfFile {
  fields: Record<string, unknown>
  placeOf: Origins['placeOf']
}

const NO_FILE: FieldsOfFile = { fields: {}, placeOf: () => undefined }

function readFile(file: YamlSource | SpecFile): FieldsOfFile {
  const { placeOf, value } = 'text' in file ? parseLocatedYaml(file) : file
  const fields = value ?? {}
  if (!isRecord(fields)) {
    throw new VplaneError(
      'INVALID_SPEC',
      `${file.path} is not a spec: it contains ${describe(fields)}, not fields`,
    )
  }
  return {
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => !ANNOTATIONS.has(name))),
    placeOf: (path) => (path.length === 0 ? file.path : placeOf(path)),
  }
}

function applySet(target: Record<string, unknown>, pair: string): Pair {
  const separator = pair.indexOf('=')
  const path = pathOf(pair.slice(0, Math.max(separator, 0)))
  if (separator < 1 || path.some((part) => part === '' || part === '__proto__')) {
    throw new VplaneError('USAGE', `"${pair}" is not of the form path=value`, {
      hints: ['such as apiServer.extraArgs.v=4'],
    })
  }
  const value = valueOf(path, pair.slice(separator + 1))
  const leaf = path.pop() ?? ''
  let parent = target
  for (const part of path) {
    const next = (Object.hasOwn(parent, part) ? parent[part] : undefined) ?? {}
    if (!isRecord(next)) {
      throw new VplaneError('USAGE', `"${pair}": "${part}" is ${describe(next)}, not fields`)
    }
    parent[part] = next
    parent = next
  }
  parent[leaf] = value
  return { path: [...path, leaf], text: pair }
}

/** The text itself where the schema expects text, even if it looks like a number; otherwise the text parsed as YAML. */
function valueOf(path: readonly string[], text: string): unknown {
  return expectsText(path) ? text : parseYaml(text, `"${path.join('.')}"`)
}

function expectsText(path: readonly string[]): boolean {
  const schema = schemaAt(path)
  return schema instanceof z.ZodString || schema instanceof z.ZodUnion
}
