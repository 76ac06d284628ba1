import type { Platform } from './platform.ts'
import { VplaneError } from '../../../../shared/errors.ts'

/** The components of a local plane, and the programs for its users. */
export const BINARY_NAMES = [
  'etcd',
  'etcdutl',
  'kube-apiserver',
  'kube-controller-manager',
  'kubectl',
  'kine',
] as const
export type BinaryName = (typeof BINARY_NAMES)[number]

/** Projects that release their binaries together, under one version. */
export const PROJECTS = ['kubernetes', 'etcd', 'kine'] as const
export type Project = (typeof PROJECTS)[number]

/** One version of one project's binaries, for one platform. */
export interface Release {
  project: Project
  /** Without a `v`: `1.36.3`. */
  version: string
  platform: Platform
}

export function projectOf(name: BinaryName): Project {
  if (name === 'kine') {
    return 'kine'
  }
  return name === 'etcd' || name === 'etcdutl' ? 'etcd' : 'kubernetes'
}

/** `Kubernetes 1.36.3` */
export function titleOf({ project, version }: Release): string {
  return `${project === 'kubernetes' ? 'Kubernetes' : project} ${version}`
}

/** For paths, URLs and arguments. @throws {VplaneError} `USAGE` unless its form is `1.36.3`. */
export function checkedVersion(version: string): string {
  if (!/^\d{1,4}\.\d{1,4}\.\d{1,4}$/.test(version)) {
    throw new VplaneError('USAGE', `"${version}" is not a version such as "1.36.3"`)
  }
  return version
}
