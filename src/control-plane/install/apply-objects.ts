import { VplaneError } from '../../shared/errors.ts'
import type { PlaneApi } from '../api/plane-api.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { collectionPath } from '../../shared/kube/collections.ts'

const COLLECTIONS = {
  CustomResourceDefinition: collectionPath('customresourcedefinitions'),
  MutatingWebhookConfiguration: collectionPath('mutatingwebhookconfigurations'),
  ValidatingAdmissionPolicy: collectionPath('validatingadmissionpolicies'),
  ValidatingAdmissionPolicyBinding: collectionPath('validatingadmissionpolicybindings'),
  ValidatingWebhookConfiguration: collectionPath('validatingwebhookconfigurations'),
} as const satisfies Record<string, string>

type InstallableKind = keyof typeof COLLECTIONS

/** Keeps kube-apiserver busy without being throttled. */
const MAX_AT_ONCE = 8

const FIELDS_OF_THE_SERVER = [
  'creationTimestamp',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
]

/** The API path of all objects of a kind. */
export function pathOfKind(kind: InstallableKind): string {
  return COLLECTIONS[kind]
}

/**
 * Applies objects with server-side apply, several at once, without fields that the server sets, and returns them as the
 * server does, in the same order.
 * @throws {VplaneError} with the reason of the server when it refuses one; the rest is not applied then. `INVALID_SPEC`
 * when one has no name or an API version that is no longer served.
 */
export async function applyObjects(
  api: PlaneApi,
  objects: readonly KubeObject[],
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const targets = objects.map((object) => ({ path: pathOf(object), object: toApplicable(object) }))
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  const applied: KubeObject[] = []
  const queue = targets.entries()
  const applyNext = async () => {
    for (const [index, { object, path }] of queue) {
      either.throwIfAborted()
      applied[index] = await api.apply(path, object, { signal: either })
    }
  }
  const runners = Array.from({ length: MAX_AT_ONCE }, applyNext)
  try {
    await Promise.all(runners)
  } catch (error) {
    failed.abort(error)
    await Promise.allSettled(runners)
    throw error
  }
  return applied
}

function pathOf({ apiVersion, kind, metadata }: KubeObject): string {
  const { name = '' } = metadata
  if (!isInstallable(kind) || name === '') {
    throw new VplaneError('INVALID_SPEC', `a ${kind} without a name cannot be installed`)
  }
  const collection = COLLECTIONS[kind]
  if (!collection.startsWith(`/apis/${apiVersion}/`)) {
    const served = collection.split('/').slice(2, 4).join('/')
    const message = `${kind} "${name}" has the API version ${apiVersion}, which Kubernetes no longer serves; use ${served}`
    throw new VplaneError('INVALID_SPEC', message)
  }
  return `${collection}/${encodeURIComponent(name)}`
}

function isInstallable(kind: string): kind is InstallableKind {
  return Object.hasOwn(COLLECTIONS, kind)
}

/** Server-side apply refuses managed fields, and interprets uid and resourceVersion as preconditions. */
function toApplicable(object: KubeObject): KubeObject {
  return {
    ...without(object, ['status']),
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: without(object.metadata, FIELDS_OF_THE_SERVER),
  }
}

function without(value: object, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([field]) => !fields.includes(field)))
}
