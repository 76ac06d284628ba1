import { z } from 'zod'
import { VplaneError } from '../../shared/errors.ts'
import { parseYaml } from '../../shared/yaml/yaml.ts'
import { parseKubernetesVersion } from './kubernetes-version.ts'
import { userSpecSchema, type UserSpec } from './spec.ts'
import { isRecord } from '../../shared/json-fields.ts'

/** Fields a spec file may carry for editors and people; they say nothing about the plane. */
const ANNOTATIONS = new Set(['$schema'])

export interface SpecSources {
  /** Text of the spec file. */
  file?: { path: string; text: string }
  /** `path=value` pairs, later ones win over earlier ones and over the file. */
  set?: readonly string[]
  /** What flags of their own say; they win over all. */
  flags?: UserSpec
}

/**
 * One user spec out of a file, `--set` and flags, checked as a whole.
 *
 * @throws {VplaneError} `INVALID_SPEC` naming the path and reason of every wrong field, `USAGE` for a malformed `--set`
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
 * A user's spec with other fields: `path=value` as with `--set`, and `path-` for one that is not said any more.
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

/** `apiServer.goGc: Too small`: where it is and what is wrong. */
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
      `${path} is not a spec: it holds ${describe(value)}, not fields`,
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
      throw new VplaneError('USAGE', `"${pair}": "${part}" holds ${describe(next)}, not fields`)
    }
    parent[part] = next
    parent = next
  }
  parent[leaf] = value
}

/** Where the schema takes text it stays text, whatever it looks like; elsewhere YAML says what a value is. */
function valueOf(path: readonly string[], text: string): unknown {
  return takesText(path) ? text : parseYaml(text, `"${path.join('.')}"`)
}

function takesText(path: readonly string[]): boolean {
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
