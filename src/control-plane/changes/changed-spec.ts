import { isDeepStrictEqual } from 'node:util'
import { checkArguments } from '../components/check-arguments.ts'
import { refuseFixed, withFixed } from './fixed-fields.ts'
import type { Plane } from '../plane/plane.ts'
import { type PlaneSpecs, specsOf } from '../spec/plane-specs.ts'
import { resolveSpec } from '../spec/resolve-spec.ts'
import type { PlaneSpec, UserSpec } from '../spec/spec.ts'
import { isRecord, fieldAt } from '../../shared/json-fields.ts'

/** What a plane is to be. */
export interface SpecChange extends PlaneSpecs {
  /** What it was when that was made up: a plane that somebody else has changed since then stays as it is. */
  from: PlaneSpecs
}

/**
 * What a plane becomes by another user's spec. Only what the user says otherwise changes: defaults that this vplane has
 * and the one that made the plane had not stay away. Fields that are fixed and that the spec does not say stay as they
 * are.
 *
 * @throws {VplaneError} `INVALID_SPEC` when a fixed field is said otherwise, the driver does not know a field, or
 * extraArgs name a managed flag.
 */
export function changedSpec(
  plane: Pick<Plane, 'driver' | 'name' | 'spec' | 'userSpec'>,
  wanted: UserSpec,
): SpecChange {
  const userSpec = withFixed(plane.userSpec, wanted)
  const before = resolveSpec(plane.userSpec, plane.driver)
  const after = resolveSpec(userSpec, plane.driver)
  refuseFixed(plane, { userSpec, resolved: after })
  const said: Said = { before: plane.userSpec, after: userSpec }
  const merged = merge({ stored: plane.spec, before, after }, said)
  // Everything in a spec is JSON, and every field of it is of one of these three specs.
  const changed: PlaneSpec = JSON.parse(JSON.stringify(merged))
  const spec = keepFixed(plane.spec, changed)
  checkArguments(spec)
  return { userSpec, spec, from: specsOf(plane) }
}

/** A value in the stored spec, and what this vplane makes of what the user said before and says now. */
interface Values {
  stored: unknown
  before: unknown
  after: unknown
}

/** What the user said of a value. */
interface Said {
  before: unknown
  after: unknown
}

function merge({ after, before, stored }: Values, said: Said): unknown {
  if (!isRecord(after) || !isRecord(stored)) {
    const isSame = isDeepStrictEqual(before, after) && isDeepStrictEqual(said.before, said.after)
    return isSame ? stored : after
  }
  const names = new Set([...Object.keys(stored), ...Object.keys(after)])
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      merge(
        { stored: stored[name], before: fieldAt(before, name), after: after[name] },
        // What a user says of the host namespace stands beside all else.
        name === 'host'
          ? said
          : { before: fieldAt(said.before, name), after: fieldAt(said.after, name) },
      ),
    ]),
  )
}

/** Sizes that come with another preset are for planes that are made by it. */
function keepFixed(stored: PlaneSpec, changed: PlaneSpec): PlaneSpec {
  const { clusterDomain, ephemeral, etcdVersion, pki, serviceRange, version } = stored
  const fixed = { clusterDomain, ephemeral, etcdVersion, pki, serviceRange, version }
  return stored.host === undefined || changed.host === undefined
    ? { ...changed, ...fixed }
    : { ...changed, ...fixed, host: { ...changed.host, storage: stored.host.storage } }
}
