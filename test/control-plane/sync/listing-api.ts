import { collectionPath, objectPath, type Resource } from '../../../src/shared/kube/collections.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { MemoryApi } from '../../support/api/memory-api.ts'

const CLUSTER_WIDE: readonly Resource[] = ['nodes', 'persistentvolumes', 'storageclasses']

/** An API in memory that lists objects of all namespaces, and none of a resource that it does not have. */
export class ListingApi extends MemoryApi {
  readonly #resources = new Map<string, Resource>()

  /** Stores an object of a resource in `default`, or of a cluster-wide one. */
  add(resource: Resource, name: string, fields: Partial<KubeObject> = {}): string {
    const place = CLUSTER_WIDE.includes(resource) ? {} : { namespace: 'default' }
    const metadata = { name, ...place, ...fields.metadata }
    const path = objectPath(resource, metadata)
    this.#resources.set(collectionPath(resource), resource)
    this.put(path, { apiVersion: 'v1', kind: resource, ...fields, metadata })
    return path
  }

  override async get(path: string): Promise<KubeObject | undefined> {
    const resource = this.#resources.get(path)
    if (resource === undefined) {
      return super.get(path)
    }
    const items = [...this.objects.values()].filter(({ kind }) => kind === resource)
    return { apiVersion: 'v1', kind: 'List', metadata: {}, items }
  }
}
