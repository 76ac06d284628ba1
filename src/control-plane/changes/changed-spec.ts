import { isDeepStrictEqual } from 'node:util'
import type { PlanStep } from '../../shared/plan-step.ts'
import { VplaneError } from '../../shared/errors.ts'
import { checkArguments } from '../components/check-arguments.ts'
import { refuseFixed, withFixed } from './fixed-fields.ts'
import type { Plane } from '../plane/plane.ts'
import { type PlaneSpecs, specsOf } from '../spec/plane-specs.ts'
import { resolveSpec } from '../spec/resolve-spec.ts'
import type { PlaneSpec, UserSpec } from '../spec/spec.ts'
import { isRecord, fieldAt } from '../../shared/json-fields.ts'

export interface SpecChange extends PlaneSpecs {
  /** The UID of the ControlPlane that declares the plane from then on; null for none. @default that of before */
  declaredBy?: string | null | undefined
  /** The specs from which the change was computed; a plane that has other specs by now must not change. */
  from: PlaneSpecs
  /** When it begins to run pods: it may do so beside other workloads, whose Secrets its syncer can read. @default false */
  shareNamespace?: boolean
}

/** What a change would do; both lists are empty if nothing would change. */
export interface ChangePlan {
  /** In their order. */
  steps: PlanStep[]
  /** The differences of host objects: `Deployment "x"`, then its fields. Empty with the local driver. */
  objects: string[]
  /** When it begins to run pods: the address that its API gets, if that is known already. */
  apiAddress?: string
  /** The same: what the preflight of the host warns of. @default nothing */
  warnings?: readonly string[]
}

/**
 * Computes the change of a plane to another user's spec. Only fields that the user changed change: new defaults of this
 * vplane do not apply. Fixed fields that the new spec leaves out keep their values.
 * @throws {VplaneError} `INVALID_SPEC` when a fixed field has another value, the driver does not support a field, or
 * extraArgs name a managed flag.
 */
export function changedSpec(
  plane: Pick<Plane, 'declaredBy' | 'driver' | 'name' | 'spec' | 'userSpec'>,
  wanted: UserSpec,
  { declaredBy }: Pick<SpecChange, 'declaredBy'> = {},
): SpecChange {
  const { declaredBy: former, driver } = plane
  const userSpec = withFixed(plane.userSpec, wanted)
  const before = resolveSpec(plane.userSpec, driver, { isDeclared: former !== undefined })
  const isDeclared = (declaredBy === undefined ? former : declaredBy) != null
  const after = resolveSpec(userSpec, driver, { isDeclared })
  refuseFixed(plane, { userSpec, resolved: after })
  const user = { before: plane.userSpec, after: userSpec }
  const merged = merge({ stored: plane.spec, before, after }, user)
  // A spec consists of JSON, and every field comes from one of these three specs.
  const changed: PlaneSpec = JSON.parse(JSON.stringify(merged))
  const spec = keepFixed(plane.spec, changed)
  checkArguments(spec)
  return {
    userSpec,
    spec,
    from: specsOf(plane),
    ...(declaredBy === undefined ? {} : { declaredBy }),
  }
}

/**
 * The specs of a locked plane after a change, also when an interrupted change has stored them, and who declares it if
 * that changes.
 * @throws {VplaneError} `CONFLICT` when the plane has other specs by now, so that another change would be lost.
 */
export function specsAfter(
  { name, ...stored }: PlaneSpecs & { name: string },
  { declaredBy, from, spec, userSpec }: SpecChange,
): PlaneSpecs & Pick<Plane, 'declaredBy'> {
  const specs = { userSpec, spec }
  if (![from, specs].some((one) => isSame(one, stored))) {
    throw new VplaneError('CONFLICT', `"${name}" was changed meanwhile`, {
      hints: ['run the same command again: it uses the current spec of the plane'],
    })
  }
  return declaredBy === undefined ? specs : { ...specs, declaredBy: declaredBy ?? undefined }
}

function isSame(left: PlaneSpecs, right: PlaneSpecs): boolean {
  return isDeepStrictEqual(specsOf(left), specsOf(right))
}

interface Values {
  before: unknown
  after: unknown
}

/** Merges the stored value with the values that this vplane resolves; `user` has the values in the user's spec. */
function merge({ after, before, stored }: Values & { stored: unknown }, user: Values): unknown {
  if (!isRecord(after) || !isRecord(stored)) {
    const isSame = isDeepStrictEqual(before, after) && isDeepStrictEqual(user.before, user.after)
    return isSame ? stored : after
  }
  const names = new Set([...Object.keys(stored), ...Object.keys(after)])
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      merge(
        { stored: stored[name], before: fieldAt(before, name), after: after[name] },
        // The user's spec has the fields of the host section at its top level.
        name === 'host'
          ? user
          : { before: fieldAt(user.before, name), after: fieldAt(user.after, name) },
      ),
    ]),
  )
}

/** The volume size of another preset applies only to new planes. */
function keepFixed(stored: PlaneSpec, changed: PlaneSpec): PlaneSpec {
  const { clusterDomain, ephemeral, etcdVersion, pki, serviceRange, version } = stored
  const fixed = { clusterDomain, ephemeral, etcdVersion, pki, serviceRange, version }
  return stored.host === undefined || changed.host === undefined
    ? { ...changed, ...fixed }
    : { ...changed, ...fixed, host: { ...changed.host, storage: stored.host.storage } }
}
