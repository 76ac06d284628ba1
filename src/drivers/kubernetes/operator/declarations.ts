import type { Declaration } from '../../../control-plane/declared/operators.ts'
import type { UserSpec } from '../../../control-plane/spec/spec.ts'
import { unlessStatus } from '../../../kube/kube-error.ts'
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

/** Creates a ControlPlane, or returns that of the name. */
export async function declarePlane(
  api: Pick<HostApi, 'apply' | 'get'>,
  { place, spec }: { place: { name: string; namespace: string }; spec: UserSpec },
  signal: AbortSignal,
): Promise<Declaration> {
  const known = await api.get(objectPath('controlplanes', place), { signal })
  const object = {
    apiVersion: 'vplane.dev/v1beta1',
    kind: 'ControlPlane',
    metadata: place,
    spec,
  }
  const path = objectPath('controlplanes', place)
  return toDeclaration(known ?? (await api.apply(path, object, { force: false, signal })))
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
  const { name = '', namespace = '', uid = '' } = object.metadata
  return { name, namespace, uid, isReady: conditionOf(object, 'Ready')?.['status'] === 'True' }
}
