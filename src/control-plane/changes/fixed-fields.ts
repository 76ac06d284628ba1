import { isDeepStrictEqual } from 'node:util'
import { VplaneError } from '../../shared/errors.ts'
import type { Hint } from '../../shared/hint.ts'
import type { Plane } from '../plane/plane.ts'
import type { PlaneSpec, UserSpec } from '../spec/spec.ts'
import { fieldAt } from '../../shared/json-fields.ts'

/** A field that a plane keeps for as long as it lives. */
interface FixedField {
  /** Where it stands in the user's spec. */
  path: readonly string[]
  /** Where it stands in the resolved spec. @default the same place */
  resolved?: readonly string[]
  /** Why it stays, as it reads after "because". */
  why: string
  /** What to do instead, for a plane of this name. */
  instead: (name: string) => Hint[]
}

const remake = (name: string): Hint[] => [
  'make another plane with it',
  { purpose: 'or to make this one again', action: 'delete', plane: { name } },
]

const FIXED: readonly FixedField[] = [
  {
    path: ['version'],
    why: 'a version is more than a field',
    instead: (name) => [{ action: 'upgrade', plane: { name }, version: 'VERSION' }],
  },
  { path: ['ephemeral'], why: 'its data would have to move', instead: remake },
  { path: ['serviceRange'], why: 'Services of the plane have addresses of it', instead: remake },
  { path: ['clusterDomain'], why: 'it is the issuer of all tokens', instead: remake },
  { path: ['serviceAccountIssuer'], why: 'all tokens are issued by it', instead: remake },
  { path: ['etcd', 'prefix'], why: 'what is stored is stored there', instead: remake },
  { path: ['pki', 'algorithm'], why: 'its keys are made', instead: remake },
  { path: ['encryption', 'secrets'], why: 'what is stored is stored so', instead: remake },
  { path: ['encryption', 'provider'], why: 'what is stored is stored so', instead: remake },
  {
    path: ['storage', 'className'],
    resolved: ['host', 'storage', 'className'],
    why: 'the volumes of etcd are made',
    instead: remake,
  },
  {
    path: ['storage', 'size'],
    resolved: ['host', 'storage', 'size'],
    why: 'the volumes of etcd are made',
    instead: remake,
  },
  {
    path: ['sync', 'scheduler'],
    resolved: ['host', 'sync', 'scheduler'],
    why: 'the keys of a scheduler are made with the plane',
    instead: remake,
  },
  {
    path: ['sync', 'serviceRange'],
    resolved: ['host', 'sync', 'serviceRange'],
    why: 'Services of the plane have addresses of it',
    instead: remake,
  },
]

/** The spec that a user wants, with the fixed fields that it leaves out as they were said before. */
export function withFixed(before: UserSpec, wanted: UserSpec): UserSpec {
  const fields: unknown = FIXED.reduce<unknown>(
    (spec, { path }) =>
      fieldAt(spec, ...path) === undefined && fieldAt(before, ...path) !== undefined
        ? put(spec, path, fieldAt(before, ...path))
        : spec,
    wanted,
  )
  // Both were parsed, and so was every field of them.
  const kept: UserSpec = JSON.parse(JSON.stringify(fields))
  return kept
}

/**
 * Refuses a spec that says otherwise what a plane keeps for as long as it lives.
 *
 * @throws {VplaneError} `INVALID_SPEC` naming the fields, with what to do instead.
 */
export function refuseFixed(
  { name, spec, userSpec: before }: Pick<Plane, 'name' | 'spec' | 'userSpec'>,
  { resolved, userSpec }: { userSpec: UserSpec; resolved: PlaneSpec },
): void {
  const refused = FIXED.filter(({ path, resolved: place = path }) => {
    const isGivenOtherwise = !isDeepStrictEqual(
      fieldAt(before, ...path),
      fieldAt(userSpec, ...path),
    )
    return (
      isGivenOtherwise && !isDeepStrictEqual(fieldAt(spec, ...place), fieldAt(resolved, ...place))
    )
  })
  const [first] = refused
  if (first !== undefined) {
    const fields = refused.map(
      ({ path, resolved: place = path, why }) =>
        `"${path.join('.')}" stays ${JSON.stringify(fieldAt(spec, ...place)) ?? 'as it is'}, because ${why}`,
    )
    throw new VplaneError('INVALID_SPEC', `"${name}" cannot become that: ${fields.join('; ')}`, {
      hints: refused.flatMap(({ instead }) => instead(name)),
    })
  }
  refuseOtherSync({ name, spec }, resolved)
}

/** Its endpoint would need another address, and all of its Services with it. */
function refuseOtherSync({ name, spec }: Pick<Plane, 'name' | 'spec'>, resolved: PlaneSpec): void {
  const runsPods = spec.host?.sync !== undefined
  if (runsPods !== (resolved.host?.sync !== undefined)) {
    throw new VplaneError(
      'INVALID_SPEC',
      `"${name}" cannot become that: "sync" stays ${runsPods ? 'on' : 'off'}, because the addresses of its endpoint and its Services depend on it`,
      {
        hints: runsPods
          ? remake(name)
          : [{ action: 'create', plane: { name: 'ANOTHER' }, sync: true }],
      },
    )
  }
}

function put(target: unknown, [name = '', ...rest]: readonly string[], value: unknown): unknown {
  const fields = Object(target)
  return { ...fields, [name]: rest.length === 0 ? value : put(fields[name] ?? {}, rest, value) }
}
