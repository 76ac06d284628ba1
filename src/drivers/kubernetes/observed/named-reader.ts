import { httpStatusOf } from '../../../kube/kube-error.ts'
import { COMPONENT_LABEL, objectName, type ObjectSuffix } from '../../../manifests/object-names.ts'
import { collectionPath, objectPath, type Resource } from '../../../shared/kube/collections.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'

/** An object that each plane has under a name of its own, and what selects it among the objects of a plane. */
interface NamedObject {
  resource: Resource
  suffix: ObjectSuffix
  only: string
}

/** The Services that are the endpoints of planes. */
export const ENDPOINTS: NamedObject = {
  resource: 'services',
  suffix: 'api',
  only: `!${COMPONENT_LABEL}`,
}

/** The ConfigMaps in which keepers report. */
export const KEEPER_STATUSES: NamedObject = {
  resource: 'configmaps',
  suffix: 'keeper-status',
  only: `${COMPONENT_LABEL}=keeper`,
}

export interface NamedReaderOptions extends NamedObject {
  /** Whether one list for all planes takes less than a request for each. */
  isMany: boolean
  /** @default all namespaces */
  namespace: string | undefined
  /** Selects the objects of these planes. */
  selector: string
  signal: AbortSignal
}

/** Returns what reads an object of a plane; of many planes, the first call lists them for all. */
export function namedReader(
  api: Pick<HostApi, 'get' | 'list'>,
  { isMany, namespace, only, resource, selector, signal, suffix }: NamedReaderOptions,
): (plane: PlacedName) => Promise<KubeObject | undefined> {
  let listing: Promise<Map<string, KubeObject> | undefined> | undefined
  const list = async () => {
    try {
      const options = { labelSelector: `${selector},${only}`, signal }
      const { items } = await api.list(collectionPath(resource, namespace), options)
      return new Map(items.map((item) => [pathOf(item.metadata), item]))
    } catch (error) {
      if (httpStatusOf(error) === 403) {
        return undefined
      }
      throw error
    }
  }
  const pathOf = ({ name = '', namespace: place = '' }: KubeObject['metadata']) =>
    objectPath(resource, { name, namespace: place })
  return async (plane) => {
    const path = pathOf({ name: objectName(plane.name, suffix), namespace: plane.namespace })
    // A user who may not list them may be allowed to read them.
    const listed = isMany ? await (listing ??= list()) : undefined
    return listed === undefined ? api.get(path, { signal }) : listed.get(path)
  }
}
