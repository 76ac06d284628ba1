import { httpStatusOf } from '../../../kube/kube-error.ts'
import { credentialSelector } from '../../../manifests/credentials/credential-secret.ts'
import { clusterObjectName, lockName } from '../../../manifests/object-names.ts'
import { collectionPath, type Resource } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import {
  clusterWideSelector,
  isSynced,
  type PlacedName,
  planeSelector,
  syncedSelector,
} from '../context/object-names.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { recordsAt } from '../../../shared/json-fields.ts'

export interface FoundObject {
  path: string
  object: KubeObject
  /** vplane created it, or the host did for something that vplane created. */
  isOwn: boolean
}

const APPLIED: readonly Resource[] = [
  'services',
  'secrets',
  'configmaps',
  'networkpolicies',
  'poddisruptionbudgets',
  'statefulsets',
  'deployments',
]
/** Some users may not list all of these, and some hosts do not have all of them. */
const RARE = ['replicasets', 'controllerrevisions', 'endpoints', 'endpointslices'] as const
const OPTIONAL: readonly Resource[] = ['ingresses', ...RARE]
/** What the host derives from the objects of a plane. */
const DERIVED: readonly Resource[] = ['pods', 'persistentvolumeclaims', ...RARE]

/** Kinds of which only some planes have objects: the record of a plane names those of its own. */
export function recordedCollections(namespace: string): string[] {
  return [
    ...(['roles', 'rolebindings', 'serviceaccounts'] as const).map((resource) =>
      collectionPath(resource, namespace),
    ),
    ...(['clusterroles', 'clusterrolebindings'] as const).map((resource) =>
      collectionPath(resource),
    ),
  ]
}

/** What a syncer creates. The endpoint owns all of it except volume claims. */
export const SYNCED = [
  'pods',
  'persistentvolumeclaims',
  'services',
  'secrets',
  'configmaps',
  'endpointslices',
  'ingresses',
  'networkpolicies',
  'poddisruptionbudgets',
] as const

export interface InventoryOptions {
  /** Whether to list all objects of a syncer, because the plane has, or may have, one. Volume claims stay without one. */
  isSynced: boolean
  collections: readonly string[]
  /** The paths of the collections to list. @default all that may have objects of the plane */
  within?: ReadonlySet<string> | undefined
  signal: AbortSignal
}

/** Lists the objects of a plane, and what the host derives from them; callers hold the Lease. */
export async function planeInventory(
  api: Pick<HostApi, 'list'>,
  { name, namespace }: PlacedName,
  { collections, isSynced: mayBeSynced, signal, within }: InventoryOptions,
): Promise<FoundObject[]> {
  const place = { name, namespace }
  const pathOf = (resource: Resource) => collectionPath(resource, namespace)
  const optional = OPTIONAL.map(pathOf)
  const derived = DERIVED.map(pathOf)
  const paths = new Set([...APPLIED, ...DERIVED, ...OPTIONAL].map(pathOf).concat(collections))
  const lists = [
    ...[...paths].map((path) => ({ path, labelSelector: selectorAt(path, place) })),
    { path: pathOf('secrets'), labelSelector: credentialSelector(place) },
    ...(mayBeSynced ? SYNCED : (['persistentvolumeclaims'] as const)).map((resource) => ({
      path: pathOf(resource),
      labelSelector: syncedSelector(name),
    })),
  ].filter(({ path }) => within?.has(path) ?? true)
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
          isDerived(object, place) ||
          (!derived.includes(path) && isApplied(object)),
      }))
    }),
  )
  return found.flat()
}

/** Lists what any version of vplane has applied for a plane, except Secrets, whose content cannot be created again. */
export async function appliedObjects(
  api: Pick<HostApi, 'list'>,
  place: PlacedName,
  { collections, signal }: Pick<InventoryOptions, 'collections' | 'signal'>,
): Promise<FoundObject[]> {
  const { namespace } = place
  const skipped = (['secrets', 'persistentvolumeclaims', 'leases'] as const).map((resource) =>
    collectionPath(resource, namespace),
  )
  const applied = APPLIED.map((resource) => collectionPath(resource, namespace))
  const paths = [...new Set([...applied, ...collections])].filter((path) => !skipped.includes(path))
  const found = await Promise.all(
    paths.map(async (path) => {
      const objects = await listOwn(api, path, {
        labelSelector: selectorAt(path, place),
        isOptional: !applied.includes(path),
        signal,
      })
      return objects
        .filter(isApplied)
        .map((object) => ({ path: `${path}/${object.metadata.name}`, object, isOwn: true }))
    }),
  )
  return found.flat()
}

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

/** A copy of an object that someone else created has our labels too. */
function isApplied({ metadata }: KubeObject): boolean {
  return recordsAt(metadata, 'managedFields').some(({ manager }) => manager === 'vplane')
}

/**
 * The host derives the names of its objects from vplane's names; a copy that someone created has another name.
 * Objects that a backup or a GitOps tool restored are known by their names alone.
 */
function isDerived({ metadata }: KubeObject, place: PlacedName): boolean {
  return (
    `-${metadata.name}`.includes(`-vplane-${place.name}-`) ||
    metadata.name === clusterObjectName(place, 'syncer')
  )
}
