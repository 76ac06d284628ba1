import { isDeepStrictEqual } from 'node:util'
import { VplaneError } from '../../shared/errors.ts'
import type { Hint } from '../../shared/hint.ts'
import type { Plane } from '../plane/plane.ts'
import { asksForPods } from '../spec/resolve-host-spec.ts'
import type { PlaneSpec, UserSpec } from '../spec/spec.ts'
import { fieldAt, isRecord } from '../../shared/json-fields.ts'

interface FixedField {
  path: readonly string[]
  /** The resolved spec has it in its host section. @default false */
  isHost?: boolean
  /** The reason, as it reads after "because". */
  why: string
  /** What to do instead, for a plane of this name. @default recreate */
  instead?: (name: string) => Hint[]
}

const recreate = (name: string): Hint[] => [
  'create another plane with it',
  { purpose: 'or to create this one again', action: 'delete', plane: { name } },
]

const switchAgain = (name: string): Hint[] => [
  {
    purpose: 'switch it off, and on again with another value',
    action: 'set',
    plane: { name },
    what: 'sync.enabled=false',
  },
]

/** The fields of a plane that stay as they were set at the start. */
export const FIXED_FIELDS: readonly FixedField[] = [
  {
    path: ['version'],
    why: 'an upgrade takes several steps',
    instead: (name) => [{ action: 'upgrade', plane: { name }, version: 'VERSION' }],
  },
  { path: ['store'], why: 'its data is stored there' },
  { path: ['ephemeral'], why: 'its data would have to move' },
  { path: ['serviceRange'], why: 'its Services have addresses of this range' },
  { path: ['clusterDomain'], why: 'it is part of the issuer of all tokens' },
  { path: ['serviceAccountIssuer'], why: 'it is the issuer of all tokens' },
  { path: ['etcd', 'prefix'], why: 'its data is stored there' },
  { path: ['pki', 'algorithm'], why: 'its keys exist already' },
  { path: ['encryption', 'secrets'], why: 'its Secrets are stored this way' },
  { path: ['encryption', 'provider'], why: 'its Secrets are stored this way' },
  { path: ['storage', 'className'], isHost: true, why: 'the volumes of etcd exist already' },
  { path: ['storage', 'size'], isHost: true, why: 'the volumes of etcd exist already' },
  {
    path: ['sync', 'scheduler'],
    isHost: true,
    why: 'its scheduler gets its keys when the plane begins to run pods',
    instead: switchAgain,
  },
  {
    path: ['sync', 'serviceRange'],
    isHost: true,
    why: 'its Services have addresses of this range',
    instead: switchAgain,
  },
]

/** Why a field stays as it was set at the start, and what to do instead; undefined for a field that may change. */
export function whyFixed(path: string): Required<Pick<FixedField, 'why' | 'instead'>> | undefined {
  const fixed = FIXED_FIELDS.find((field) => field.path.join('.') === path)
  return fixed && { why: fixed.why, instead: fixed.instead ?? recreate }
}

/** The fields that stay: those of `sync` only while the plane runs pods. */
function fixedFields(before: UserSpec, wanted: UserSpec): FixedField[] {
  const isSwitched = asksForPods(before) !== asksForPods(wanted)
  return FIXED_FIELDS.filter(({ path: [section] }) => section !== 'sync' || !isSwitched)
}

/** The wanted spec, with the former values of fixed fields that it leaves out. */
export function withFixed(before: UserSpec, wanted: UserSpec): UserSpec {
  const fields: unknown = fixedFields(before, wanted).reduce<unknown>(
    (spec, { path }) =>
      fieldAt(spec, ...path) === undefined && fieldAt(before, ...path) !== undefined
        ? putField(spec, path, fieldAt(before, ...path))
        : spec,
    wanted,
  )
  // Every field comes from one of two parsed specs.
  const merged: UserSpec = JSON.parse(JSON.stringify(fields))
  return merged
}

/** @throws {VplaneError} `INVALID_SPEC` with the fixed fields that differ, and hints for them. */
export function refuseFixed(
  { name, spec, userSpec: before }: Pick<Plane, 'name' | 'spec' | 'userSpec'>,
  { resolved, userSpec }: { userSpec: UserSpec; resolved: PlaneSpec },
): void {
  const differ = (one: unknown, other: unknown, path: readonly string[]) =>
    !isDeepStrictEqual(fieldAt(one, ...path), fieldAt(other, ...path))
  const refused = fixedFields(before, userSpec).filter(
    (field) => differ(before, userSpec, field.path) && differ(spec, resolved, resolvedPath(field)),
  )
  if (refused.length > 0) {
    const fields = refused.map((field) => {
      const value = JSON.stringify(fieldAt(spec, ...resolvedPath(field))) ?? 'as it is'
      return `"${field.path.join('.')}" stays ${value}, because ${field.why}`
    })
    const message = `"${name}" cannot change like this: ${fields.join('; ')}`
    throw new VplaneError('INVALID_SPEC', message, {
      hints: refused.flatMap(({ instead = recreate }) => instead(name)),
    })
  }
}

/** Where the resolved spec has a fixed field. */
export function resolvedPath({ isHost, path }: FixedField): readonly string[] {
  return isHost === true ? ['host', ...path] : path
}

/** A copy of an object with another value at a path; what is not an object on the way is replaced. */
export function putField(target: unknown, path: readonly string[], value: unknown): unknown {
  const [name = '', ...rest] = path
  const fields = isRecord(target) ? target : {}
  return { ...fields, [name]: rest.length === 0 ? value : putField(fields[name], rest, value) }
}
