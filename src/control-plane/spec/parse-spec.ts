import { z } from 'zod'
import { VplaneError } from '../../shared/errors.ts'
import { parseYaml } from '../../shared/yaml/yaml.ts'
import { parseKubernetesVersion } from './kubernetes-version.ts'
import { userSpecSchema, type UserSpec } from './spec.ts'
import { isRecord } from '../../shared/json-fields.ts'

/** Fields that a spec file may contain for editors; they are not part of the spec. */
const ANNOTATIONS = new Set(['$schema'])

export interface SpecSources {
  file?: { path: string; text: string }
  /** `path=value` pairs, which override the file and earlier pairs. */
  set?: readonly string[]
  /** Fields from separate flags, which override both. */
  flags?: UserSpec
}

/**
 * Merges a file, `--set` and flags into one user spec, and validates the result.
 *
 * @throws {VplaneError} `INVALID_SPEC` with the path and reason of every invalid field, `USAGE` for a malformed `--set`
 * or an unknown version among the flags.
 */
export function parseSpec({ file, set = [], flags = {} }: SpecSources): UserSpec {
  if (flags.version !== undefined) {
    parseKubernetesVersion(flags.version)
  }
  const fields = file === undefined ? {} : readFile(file)
  for (const pair of set) {
    applySet(fields, pair)
  }
  return checkFields({ ...fields, ...flags }, file?.path ?? 'the spec')
}

/**
 * A user's spec with changed fields: `path=value` sets one as `--set` does, and `path-` removes one.
 *
 * @throws {VplaneError} as `parseSpec` does.
 */
export function setSpecFields(spec: UserSpec, pairs: readonly string[]): UserSpec {
  const fields: Record<string, unknown> = structuredClone(spec)
  for (const pair of pairs) {
    if (/^[^=]+-$/.test(pair)) {
      unset(fields, pair.slice(0, -1).split('.'))
    } else {
      applySet(fields, pair)
    }
  }
  return checkFields(fields, 'the spec')
}

function unset(target: Record<string, unknown>, [name = '', ...rest]: readonly string[]): void {
  const inner = target[name]
  if (rest.length === 0) {
    delete target[name]
  } else if (isRecord(inner)) {
    unset(inner, rest)
  }
}

function checkFields(fields: Record<string, unknown>, source: string): UserSpec {
  const result = userSpecSchema.safeParse(fields)
  if (!result.success) {
    throw new VplaneError(
      'INVALID_SPEC',
      `${source} is not valid: ${result.error.issues.map(reasonOf).join('; ')}`,
      { hints: ['every field is in https://unpkg.com/vplane/schemas/control-plane-spec.json'] },
    )
  }
  return result.data
}

/** The path and the reason: `apiServer.goGc: Too small`. */
function reasonOf(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join('.')
  const reason =
    issue.code === 'invalid_key'
      ? issue.issues.map(({ message }) => message).join(', ')
      : issue.message
  return path === '' ? reason : `${path}: ${reason.replace(/^Invalid input: /, '')}`
}

function readFile({ path, text }: { path: string; text: string }): Record<string, unknown> {
  const value = parseYaml(text, path) ?? {}
  if (!isRecord(value)) {
    throw new VplaneError(
      'INVALID_SPEC',
      `${path} is not a spec: it contains ${describe(value)}, not fields`,
    )
  }
  return Object.fromEntries(Object.entries(value).filter(([name]) => !ANNOTATIONS.has(name)))
}

function applySet(target: Record<string, unknown>, pair: string): void {
  const separator = pair.indexOf('=')
  const path = pair.slice(0, Math.max(separator, 0)).split('.')
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
}

/** The text itself where the schema expects text, even if it looks like a number; otherwise the text parsed as YAML. */
function valueOf(path: readonly string[], text: string): unknown {
  return expectsText(path) ? text : parseYaml(text, `"${path.join('.')}"`)
}

function expectsText(path: readonly string[]): boolean {
  let schema: unknown = userSpecSchema
  for (const part of path) {
    const inner = withoutOptional(schema)
    if (inner instanceof z.ZodObject && Object.hasOwn(inner.shape, part)) {
      schema = inner.shape[part]
    } else {
      schema = inner instanceof z.ZodRecord ? inner.valueType : undefined
    }
  }
  const inner = withoutOptional(schema)
  return inner instanceof z.ZodString || inner instanceof z.ZodUnion
}

function withoutOptional(schema: unknown): unknown {
  return schema instanceof z.ZodOptional ? schema.unwrap() : schema
}

function describe(value: unknown): string {
  return Array.isArray(value)
    ? 'a list'
    : value === null
      ? 'nothing'
      : `the ${typeof value} ${JSON.stringify(value)}`
}
