import {
  controlPlaneObject,
  type DeclaredSpec,
} from '../../../control-plane/declared/control-plane-object.ts'
import type { Declaration } from '../../../control-plane/declared/operators.ts'
import { unlessStatus } from '../../../kube/kube-error.ts'
import { MANAGED_BY } from '../../../manifests/object-names.ts'
import { isVplaneError, VplaneError } from '../../../shared/errors.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import { conditionOf, type KubeObject } from '../../../shared/kube/kube-object.ts'
import type { HostApi } from '../host/host-api.ts'

/** All ControlPlanes, or those of one namespace; none without the CRD. */
export async function listDeclarations(
  api: Pick<HostApi, 'list'>,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<Declaration[]> {
  const path = collectionPath('controlplanes', namespace)
  const found = await unlessStatus([404], api.list(path, { signal }))
  return (found?.items ?? []).map((object) => toDeclaration(object))
}

/**
 * Creates a ControlPlane, or returns that of the name.
 * @throws {VplaneError} `NOT_FOUND` without the CRD, or without the namespace unless that may be created.
 */
export async function declarePlane(
  api: Pick<HostApi, 'apply' | 'create' | 'get' | 'list'>,
  { place, spec }: { place: DeclaredPlace; spec: DeclaredSpec },
  signal: AbortSignal,
): Promise<Declaration> {
  const path = objectPath('controlplanes', place)
  const known = await api.get(path, { signal })
  if (known !== undefined) {
    return toDeclaration(known)
  }
  const object = controlPlaneObject(place, spec)
  const apply = () => api.apply(path, object, { force: false, signal })
  try {
    return toDeclaration(await apply())
  } catch (error) {
    if (!isVplaneError(error, 'NOT_FOUND')) {
      throw error
    }
    await refuseWithoutCrd(api, place, { cause: error, signal })
    if (place.createNamespace !== true) {
      throw error
    }
    await createNamespace(api, place.namespace, signal)
    return toDeclaration(await apply())
  }
}

interface DeclaredPlace {
  name: string
  namespace: string
  /** Create the namespace if it is missing. @default false */
  createNamespace?: boolean
}

async function refuseWithoutCrd(
  api: Pick<HostApi, 'list'>,
  { namespace }: DeclaredPlace,
  { cause, signal }: { cause: unknown; signal: AbortSignal },
): Promise<void> {
  const path = collectionPath('controlplanes', namespace)
  if ((await unlessStatus([404], api.list(path, { signal }))) === undefined) {
    throw new VplaneError('NOT_FOUND', 'the host cluster has no ControlPlanes', {
      hints: [{ action: 'install-operator' }],
      cause,
    })
  }
}

async function createNamespace(
  api: Pick<HostApi, 'create'>,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const metadata = { name, labels: { [MANAGED_BY]: 'vplane' } }
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata }
  // Another client may have created it meanwhile.
  await unlessStatus([409], api.create(collectionPath('namespaces'), namespace, { signal }))
}

/** Deletes a ControlPlane. */
export async function withdrawDeclaration(
  api: Pick<HostApi, 'delete'>,
  { uid, ...place }: Declaration,
  signal: AbortSignal,
): Promise<void> {
  await api.delete(objectPath('controlplanes', place), { uid, signal })
}

/** Removes the finalizers of a ControlPlane. */
export async function freeDeclaration(
  api: Pick<HostApi, 'patch'>,
  { uid, ...place }: Declaration,
  signal: AbortSignal,
): Promise<void> {
  const patch = { metadata: { uid, finalizers: null } }
  const path = objectPath('controlplanes', place)
  await unlessStatus([404, 409], api.patch(path, patch, { type: 'merge', signal }))
}

function toDeclaration(object: KubeObject): Declaration {
  const { generation, name = '', namespace = '', uid = '' } = object.metadata
  const isReady = conditionOf(object, 'Ready')?.['status'] === 'True'
  return { name, namespace, uid, generation: Number(generation), isReady }
}
