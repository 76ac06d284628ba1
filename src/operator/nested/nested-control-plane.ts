import { labelsSelector } from '../../drivers/kubernetes/context/object-names.ts'
import { createHash } from 'node:crypto'
import type { AnyComponentName } from '../../control-plane/plane/plane.ts'
import { selectorLabels } from '../../manifests/object-names.ts'
import { textAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** The API of nested control planes. */
export const NESTED_API = 'nested.vplane.dev/v1beta1'

/** Keeps a NestedControlPlane until everything of it is gone. */
export const NESTED_FINALIZER = 'nested.vplane.dev/control-plane'

/** The label of everything of a NestedControlPlane, with its UID. */
export const OWNER_LABEL = 'nested.vplane.dev/owner'

/** The annotation of a ControlPlane that names its NestedControlPlane as `NAMESPACE/NAME`. */
export const OWNER_ANNOTATION = 'nested.vplane.dev/control-plane'

/** The label by which Cluster API finds what belongs to a Cluster. */
export const CLUSTER_LABEL = 'cluster.x-k8s.io/cluster-name'

const MAX_NAME = 63

/** A NestedControlPlane, and where everything of it is. */
export interface NestedPlace {
  name: string
  /** The ClusterNamespace. */
  namespace: string
}

/**
 * The place of a NestedControlPlane: the ClusterNamespace has its namespace, a hash of its UID, and its name in its own
 * name, as those of cluster-api-provider-nested.
 */
export function placeOf({ metadata }: KubeObject): NestedPlace {
  const { name = '', namespace = '', uid = '' } = metadata
  const hash = createHash('sha256').update(uid).digest('hex').slice(0, 6)
  return {
    name,
    namespace: `${namespace.slice(0, 28)}-${hash}-${name}`.slice(0, MAX_NAME).replace(/-+$/, ''),
  }
}

/** The labels of everything of a NestedControlPlane. */
export function ownerLabels({ metadata: { uid = '' } }: KubeObject): Record<string, string> {
  return { [OWNER_LABEL]: uid }
}

/** The Cluster of Cluster API that a NestedControlPlane belongs to. @default it has none */
export function clusterOf({ metadata }: KubeObject): string | undefined {
  const owners: unknown = metadata['ownerReferences']
  const found = Array.isArray(owners)
    ? owners.find(
        (owner) =>
          textAt(owner, 'kind') === 'Cluster' &&
          textAt(owner, 'apiVersion')?.startsWith('cluster.x-k8s.io/') === true,
      )
    : undefined
  return textAt(found, 'name')
}

/** The label selector of the pods of a component. */
export function podSelector(name: string, component: AnyComponentName): string {
  return labelsSelector(selectorLabels(name, component))
}
