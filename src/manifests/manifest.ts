import type { KubeObject } from '../shared/kube/kube-object.ts'

/** An object for the host cluster, with a name, and with a namespace where its kind has one. */
export interface Manifest extends KubeObject {
  metadata: KubeObject['metadata'] & { name: string; labels: Record<string, string> }
}

/** The kinds of ours that are of no namespace. */
const CLUSTER_WIDE = ['ClusterRole', 'ClusterRoleBinding']

/** Tells whether objects of a kind are of no namespace. */
export function isClusterWide({ kind }: { kind: string }): boolean {
  return CLUSTER_WIDE.includes(kind)
}

/** Path of all objects of this kind in the namespace: `/apis/apps/v1/namespaces/x/deployments`. */
export function collectionPathOf({ apiVersion, kind, metadata }: Manifest): string {
  const root = apiVersion.includes('/') ? 'apis' : 'api'
  const place = isClusterWide({ kind }) ? '' : `namespaces/${metadata.namespace}/`
  return `/${root}/${apiVersion}/${place}${resourceOf(kind)}`
}

/** Path of the object: `/apis/apps/v1/namespaces/x/deployments/y`. */
export function objectPathOf(object: Manifest): string {
  return `${collectionPathOf(object)}/${object.metadata.name}`
}

/** The resource that serves a kind, by the rule that Kubernetes' own kinds and most others follow. */
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
