import { type Manifest, objectPathOf } from '../../../manifests/manifest.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** The place of an object in the host cluster's API. */
export interface HostResource {
  /** Empty for the core group. */
  group: string
  /** The resource in the plural: `statefulsets`. */
  resource: string
  /** Path of all objects of the kind in the namespace. */
  collection: string
  path: string
}

/** Returns the place of an object in a namespace. */
export function hostResourceOf(object: KubeObject, namespace: string): HostResource {
  const { apiVersion, metadata } = object
  const name = metadata.name ?? ''
  const manifest: Manifest = { ...object, metadata: { ...metadata, name, namespace, labels: {} } }
  const path = objectPathOf(manifest)
  const collection = path.slice(0, path.lastIndexOf('/'))
  return {
    group: apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '',
    resource: collection.slice(collection.lastIndexOf('/') + 1),
    collection,
    path,
  }
}

/** Returns the name of a resource in RBAC and quotas: `pods`, `statefulsets.apps`. */
export function qualifiedName({ group, resource }: { group: string; resource: string }): string {
  return group === '' ? resource : `${resource}.${group}`
}
