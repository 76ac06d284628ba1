import type { ChangedField, DeclaredState } from '../../../control-plane/declared/operators.ts'
import { VplaneError } from '../../../shared/errors.ts'
import {
  fieldAt,
  isRecord,
  numberAt,
  recordAt,
  recordsAt,
  textAt,
} from '../../../shared/json-fields.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import { conditionOf, type KubeObject } from '../../../shared/kube/kube-object.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'

const MANAGER = 'vplane'

/**
 * Changes fields of a ControlPlane's spec by server-side apply, and returns its generation. Fields that vplane has
 * applied before stay.
 * @throws {VplaneError} `CONFLICT` naming the fields that others manage, and their managers.
 */
export async function amendDeclaration(
  api: Pick<HostApi, 'apply' | 'get' | 'patch'>,
  { fields, place }: { place: PlacedName; fields: readonly ChangedField[] },
  signal: AbortSignal,
): Promise<number> {
  const known = await presentDeclaration(api, place, signal)
  const own = ownSpec(known)
  const isRemoval = fields.every(({ value }) => value === undefined)
  const changed = isRemoval
    ? removeFields(api, { known, own, fields }, signal)
    : applyFields(api, { known, own, fields }, signal)
  const applied = await changed
  const kept = fields.filter(
    (field) => field.value === undefined && fieldAt(applied, 'spec', ...field.path) !== undefined,
  )
  if (kept.length > 0) {
    const names = kept.map((field) => field.path.join('.')).join(', ')
    throw new VplaneError(
      'CONFLICT',
      `cannot change ControlPlane "${place.name}": others manage ${names}`,
      { hints: ['change it where it is written'] },
    )
  }
  return Number(applied.metadata['generation'])
}

interface Amendment {
  known: KubeObject
  /** The part of the spec that vplane has applied. */
  own: Record<string, unknown>
  fields: readonly ChangedField[]
}

async function applyFields(
  api: Pick<HostApi, 'apply'>,
  { fields, known: { apiVersion, kind, metadata }, own }: Amendment,
  signal: AbortSignal,
): Promise<KubeObject> {
  const { name = '', namespace = '' } = metadata
  const spec = fields.reduce((current, field) => withField(current, field), own)
  const object = { apiVersion, kind, metadata: { name, namespace }, spec }
  return api.apply(objectPath('controlplanes', metadata), object, { force: false, signal })
}

/**
 * Removes those of the fields that vplane has applied. Server-side apply would make null of an object that loses its last
 * field, which the schema refuses.
 */
async function removeFields(
  api: Pick<HostApi, 'patch'>,
  { fields, known, own }: Amendment,
  signal: AbortSignal,
): Promise<KubeObject> {
  const removed = fields.filter(({ path }) => fieldAt(own, ...path) !== undefined)
  if (removed.length === 0) {
    return known
  }
  const spec = removed.reduce<Record<string, unknown>>(
    (patch, { path }) => withField(patch, { path, value: null }),
    {},
  )
  const { resourceVersion } = known.metadata
  const patch = { metadata: { resourceVersion }, spec }
  return api.patch(objectPath('controlplanes', known.metadata), patch, { type: 'merge', signal })
}

/** What a ControlPlane's status says about its generation. */
export async function observeDeclaration(
  api: Pick<HostApi, 'get'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<DeclaredState> {
  const object = await presentDeclaration(api, place, signal)
  const progress = conditionOf(object, 'Progressing')
  const degraded = conditionOf(object, 'Degraded')
  const isFailed = degraded?.['status'] === 'True' && degraded['reason'] !== 'NotReady'
  return {
    observedGeneration: numberAt(object, 'status', 'observedGeneration') ?? 0,
    isProgressing: progress?.['status'] === 'True',
    work: textAt(progress, 'message') ?? '',
    ...(isFailed ? { failure: textAt(degraded, 'message') ?? '' } : {}),
  }
}

async function presentDeclaration(
  api: Pick<HostApi, 'get'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<KubeObject> {
  const found = await api.get(objectPath('controlplanes', place), { signal })
  if (found === undefined) {
    throw new VplaneError(
      'NOT_FOUND',
      `the ControlPlane of "${place.name}" is missing in namespace "${place.namespace}"`,
      {
        hints: [
          { action: 'adopt', plane: place },
          { action: 'release', plane: place },
        ],
      },
    )
  }
  return found
}

/** The part of a spec that vplane has applied (https://kubernetes.io/docs/reference/using-api/server-side-apply/). */
function ownSpec(object: KubeObject): Record<string, unknown> {
  const entry = recordsAt(object, 'metadata', 'managedFields').find(
    ({ manager, operation, subresource }) =>
      manager === MANAGER && operation === 'Apply' && subresource === undefined,
  )
  const tree = recordAt(entry, 'fieldsV1', 'f:spec') ?? {}
  // Who has applied an empty spec owns none of its fields.
  const own = Object.keys(tree).length === 0 ? {} : picked(object['spec'], tree)
  return isRecord(own) ? own : {}
}

/** The fields of a value that a tree of `f:NAME` names; a list is one field. */
function picked(value: unknown, tree: Record<string, unknown>): unknown {
  const names = Object.keys(tree).filter((name) => name.startsWith('f:'))
  if (!isRecord(value) || names.length === 0) {
    return value
  }
  return Object.fromEntries(
    names
      .map((name) => [name.slice(2), value[name.slice(2)], tree[name]] as const)
      .filter(([, field]) => field !== undefined)
      .map(([name, field, inner]) => [name, picked(field, isRecord(inner) ? inner : {})]),
  )
}

function withField(
  value: Record<string, unknown>,
  { path: [name = '', ...rest], value: wanted }: ChangedField,
): Record<string, unknown> {
  if (rest.length > 0) {
    const inner = recordAt(value, name) ?? {}
    return { ...value, [name]: withField(inner, { path: rest, value: wanted }) }
  }
  const { [name]: _former, ...others } = value
  return wanted === undefined ? others : { ...others, [name]: wanted }
}
