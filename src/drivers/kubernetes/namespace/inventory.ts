import { httpStatusOf } from '../../../kube/kube-error.ts'
import { clusterObjectName, lockName } from '../../../manifests/object-names.ts'
import { collectionPath, type Resource } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import {
  clusterWideSelector,
  isSynced,
  type PlacedName,
  planeSelector,
  recordName,
  syncedSelector,
} from '../context/object-names.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { recordsAt } from '../../../shared/json-fields.ts'

/** An object of a plane that is there. */
export interface FoundObject {
  path: string
  object: KubeObject
  /** Made by vplane, or by the host for something that vplane made. */
  isOwn: boolean
}

/** What vplane applies. */
const APPLIED: readonly Resource[] = [
  'services',
  'secrets',
  'configmaps',
  'networkpolicies',
  'poddisruptionbudgets',
  'statefulsets',
  'deployments',
]
/** What the host makes of it. Not everybody may list all of these, nor has every host all of them. */
const DERIVED: readonly Resource[] = [
  'pods',
  'persistentvolumeclaims',
  'replicasets',
  'controllerrevisions',
  'endpoints',
  'endpointslices',
]
const OPTIONAL: readonly Resource[] = [
  'ingresses',
  'replicasets',
  'controllerrevisions',
  'endpoints',
  'endpointslices',
]

/** Kinds of no namespace, in which planes have objects that read in all of the host cluster. */
export const CLUSTER_WIDE = [collectionPath('clusterroles'), collectionPath('clusterrolebindings')]

/** What a syncer makes. All but volume claims goes with the endpoint, which owns it. */
const SYNCED: readonly Resource[] = [
  'pods',
  'persistentvolumeclaims',
  'services',
  'secrets',
  'configmaps',
  'endpointslices',
  'ingresses',
  'networkpolicies',
  'poddisruptionbudgets',
]

export interface InventoryOptions {
  /** Whether the plane has, or may have had, a syncer: then what that has made is looked for as well. */
  isSynced: boolean
  /** Paths of more collections that the plane has objects in. */
  collections: readonly string[]
  signal: AbortSignal
}

/**
 * Lists every kind that a plane is made of, or that the host makes for it, by the plane's label. Its Lease is left out:
 * whoever looks holds it.
 */
export async function planeInventory(
  api: Pick<HostApi, 'list'>,
  { name, namespace }: PlacedName,
  { collections, isSynced: mayBeSynced, signal }: InventoryOptions,
): Promise<FoundObject[]> {
  const pathOf = (resource: Resource) => collectionPath(resource, namespace)
  const optional = OPTIONAL.map(pathOf)
  const derived = DERIVED.map(pathOf)
  const paths = new Set([...APPLIED, ...DERIVED, ...OPTIONAL].map(pathOf).concat(collections))
  const lists = [
    ...[...paths].map((path) => ({
      path,
      labelSelector: selectorAt(path, { name, namespace }),
    })),
    ...(mayBeSynced ? SYNCED.map(pathOf) : []).map((path) => ({
      path,
      labelSelector: syncedSelector(name),
    })),
  ]
  const found = await Promise.all(
    lists.map(async ({ labelSelector, path }) => {
      const objects = await listOwn(api, path, {
        labelSelector,
        isOptional: optional.includes(path) || collections.includes(path),
        signal,
      })
      return objects.map((object) => ({
        path: `${path}/${object.metadata.name}`,
        object,
        isOwn:
          isSynced(object, name) ||
          isDerived(object, { name, namespace }) ||
          (!derived.includes(path) && isApplied(object)),
      }))
    }),
  )
  return found.flat()
}

/**
 * Lists what vplane has applied for a plane, whichever vplane it was. Secrets are left out: what is in them cannot be made
 * again.
 */
export async function appliedObjects(
  api: Pick<HostApi, 'list'>,
  place: PlacedName,
  { collections, signal }: Pick<InventoryOptions, 'collections' | 'signal'>,
): Promise<FoundObject[]> {
  const { namespace } = place
  const left = (['secrets', 'persistentvolumeclaims', 'leases'] as const).map((resource) =>
    collectionPath(resource, namespace),
  )
  const applied = APPLIED.map((resource) => collectionPath(resource, namespace))
  const paths = [...new Set([...applied, ...collections])].filter((path) => !left.includes(path))
  const found = await Promise.all(
    paths.map(async (path) => {
      const objects = await listOwn(api, path, {
        labelSelector: selectorAt(path, place),
        isOptional: !applied.includes(path),
        signal,
      })
      return objects.map((object) => ({
        path: `${path}/${object.metadata.name}`,
        object,
        isOwn: isApplied(object),
      }))
    }),
  )
  return found.flat().filter((one) => one.isOwn)
}

/** Path of the Secret that holds a plane's record. */
export function recordPath({ name, namespace }: PlacedName): string {
  return `${collectionPath('secrets', namespace)}/${recordName(name)}`
}

/** Path of a plane's Lease. */
export function lockPath({ name, namespace }: PlacedName): string {
  return `${collectionPath('leases', namespace)}/${lockName(name)}`
}

function selectorAt(path: string, place: PlacedName): string {
  return path.includes('/namespaces/') ? planeSelector(place.name) : clusterWideSelector(place)
}

async function listOwn(
  api: Pick<HostApi, 'list'>,
  path: string,
  { isOptional, ...options }: { labelSelector: string; isOptional: boolean; signal: AbortSignal },
): Promise<KubeObject[]> {
  try {
    return (await api.list(path, options)).items
  } catch (error) {
    if (isOptional && [403, 404].includes(httpStatusOf(error) ?? 0)) {
      return []
    }
    throw error
  }
}

/** A copy of an object of ours, made by somebody else, carries our labels too. */
function isApplied({ metadata }: KubeObject): boolean {
  return recordsAt(metadata, 'managedFields').some(({ manager }) => manager === 'vplane')
}

/**
 * The host names what it makes after what it makes it for; a copy that somebody made has another name. Objects of ours
 * that a backup or a GitOps tool put here have no trace of us but their names.
 */
function isDerived({ metadata }: KubeObject, place: PlacedName): boolean {
  return (
    `-${metadata.name}`.includes(`-vplane-${place.name}-`) ||
    metadata.name === clusterObjectName(place, 'syncer')
  )
}
