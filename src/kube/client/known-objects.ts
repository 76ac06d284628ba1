import type { KubeObject, WatchEvent } from '../../shared/kube/kube-object.ts'

/**
 * The objects that a watch has reported, to convert a new list to the events since then. Objects are compared by uid: one
 * that was deleted and created again under its name is two events.
 */
export class KnownObjects {
  #byUid = new Map<string, KubeObject>()

  record({ type, object }: WatchEvent): void {
    if (type === 'DELETED') {
      this.#byUid.delete(identityOf(object))
    } else {
      this.#byUid.set(identityOf(object), object)
    }
  }

  /** Replaces the known objects with `items`, and returns the events in between, deletions first. */
  replace(items: readonly KubeObject[]): WatchEvent[] {
    const before = this.#byUid
    this.#byUid = new Map(items.map((item) => [identityOf(item), item]))
    const deleted = [...before]
      .filter(([uid]) => !this.#byUid.has(uid))
      .map(([, object]) => ({ type: 'DELETED' as const, object }))
    const changed = items.flatMap((object): WatchEvent[] => {
      const known = before.get(identityOf(object))
      if (known === undefined) {
        return [{ type: 'ADDED', object }]
      }
      const isSame = known.metadata.resourceVersion === object.metadata.resourceVersion
      return isSame ? [] : [{ type: 'MODIFIED', object }]
    })
    return [...deleted, ...changed]
  }
}

/** The uid; virtual objects of aggregated APIs may have none. */
function identityOf({ metadata }: KubeObject): string {
  return metadata.uid ?? `${metadata.namespace ?? ''}/${metadata.name ?? ''}`
}
