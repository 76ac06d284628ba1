import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'

/** Kinds that belong to no namespace. */
const CLUSTER_WIDE = ['ClusterRole', 'ClusterRoleBinding', 'Namespace', 'Node', 'StorageClass']

/** The path of an object, for kinds whose plural is regular. */
export function objectPath({ apiVersion, kind, metadata }: KubeObject): string {
  const { name = '', namespace = 'default' } = metadata
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const scope = CLUSTER_WIDE.includes(kind) ? '' : `/namespaces/${namespace}`
  return `${group}${scope}/${pluralOf(kind)}/${encodeURIComponent(name)}`
}

function pluralOf(kind: string): string {
  const name = kind.toLowerCase()
  return name.endsWith('s')
    ? `${name}es`
    : name.endsWith('y')
      ? `${name.slice(0, -1)}ies`
      : `${name}s`
}
