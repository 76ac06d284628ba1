import {
  etcdVersionOf,
  knownKubernetesVersions,
  parseKubernetesVersion,
} from '../../../../control-plane/spec/kubernetes-version.ts'
import type { Release } from './binary.ts'

/** The action that adds the binaries of a release to the cache. */
export interface PullHint {
  action: 'get-binaries'
  /** The version of Kubernetes to pull. */
  what: string
  /** With kine. @default without */
  kine?: true
}

/**
 * The action that pulls a release; undefined for an etcd that belongs to no known version of Kubernetes. `beside` is
 * the version of Kubernetes that is pulled with this etcd, if both belong together.
 */
export function pullHint(
  { project, version }: Pick<Release, 'project' | 'version'>,
  beside: string,
): PullHint | undefined {
  if (project === 'kubernetes') {
    return { action: 'get-binaries', what: version }
  }
  if (project === 'kine') {
    return { action: 'get-binaries', what: beside, kine: true }
  }
  const what = [beside, ...knownKubernetesVersions()].find(
    (kubernetes) => etcdVersionOf(parseKubernetesVersion(kubernetes)) === version,
  )
  return what === undefined ? undefined : { action: 'get-binaries', what }
}
