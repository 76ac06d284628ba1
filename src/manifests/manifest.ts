import type { KubeObject } from '../shared/kube/kube-object.ts'

/** An object for the host cluster, with a name, and with a namespace if its kind is namespaced. */
export interface Manifest extends KubeObject {
  metadata: KubeObject['metadata'] & { name: string; labels: Record<string, string> }
}

const CLUSTER_WIDE = ['ClusterRole', 'ClusterRoleBinding']

/** Whether a kind that vplane uses is cluster-scoped. */
export function isClusterWide({ kind }: { kind: string }): boolean {
  return CLUSTER_WIDE.includes(kind)
}

/** `/apis/apps/v1/namespaces/x/deployments` */
export function collectionPathOf({ apiVersion, kind, metadata }: Manifest): string {
  const root = apiVersion.includes('/') ? 'apis' : 'api'
  const place = isClusterWide({ kind }) ? '' : `namespaces/${metadata.namespace}/`
  return `/${root}/${apiVersion}/${place}${resourceOf(kind)}`
}

/** `/apis/apps/v1/namespaces/x/deployments/y` */
export function objectPathOf(object: Manifest): string {
  return `${collectionPathOf(object)}/${object.metadata.name}`
}

/** Follows the rule of the kinds of Kubernetes and of most others. */
function resourceOf(kind: string): string {
  const word = kind.toLowerCase()
  if (word === 'endpoints') {
    return word
  }
  if (word.endsWith('s')) {
    return `${word}es`
  }
  return word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`
}
