import type { BinaryName, Project, Release } from '../cache/binary.ts'

/** The module that a project's versions are looked up by. */
export const MODULES: Record<Project, string> = {
  kubernetes: 'k8s.io/kubernetes',
  etcd: 'go.etcd.io/etcd/server/v3',
}

const PACKAGES: Record<BinaryName, string> = {
  etcd: 'go.etcd.io/etcd/server/v3',
  etcdutl: 'go.etcd.io/etcd/etcdutl/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
}

/** The main package of a binary. */
export function packageOf(name: BinaryName): string {
  return PACKAGES[name]
}

/** What `go build` calls a package's binary: the last part of the path that is not a major version. */
export function outputNameOf(path: string): string {
  const parts = path.split('/').filter((part) => !/^v\d+$/.test(part))
  return parts.at(-1) ?? path
}

/**
 * The go.mod from which a release is built.
 *
 * Kubernetes replaces the modules of its staging folder by relative paths, which a module that is merely required
 * cannot do. So its own go.mod is taken over, and these modules are replaced by their published versions.
 */
export function goModOf({ project, version }: Release, published: string): string {
  if (project === 'etcd') {
    const modules = [PACKAGES.etcd, PACKAGES.etcdutl].map((path) => `require ${path} v${version}\n`)
    return `module vplane.dev/build\n\ngo 1.24\n\n${modules.join('')}`
  }
  const staging = `v0${version.slice(version.indexOf('.'))}`
  const own = published
    .replace(/^module .*$/m, 'module vplane.dev/build')
    .replaceAll(/=> \.\/staging\/src\/(k8s\.io\/[a-z0-9-]+)/g, `=> $1 ${staging}`)
    .replaceAll(/^(\s+k8s\.io\/[a-z0-9-]+) v0\.0\.0(?=\s|$)/gm, `$1 ${staging}`)
  return `${own}\nrequire k8s.io/kubernetes v${version}\n`
}

/** Linker flags: no debug symbols, and the version that the binaries tell; the same input gives the same binary. */
export function linkerFlagsOf({ project, version }: Release): string {
  if (project === 'etcd') {
    return '-s -w'
  }
  const [major = '', minor = ''] = version.split('.')
  const values = {
    gitVersion: `v${version}`,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
    gitCommit: '',
    buildDate: '1970-01-01T00:00:00Z',
  }
  const flags = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((path) =>
    Object.entries(values).map(([name, value]) => `-X ${path}.${name}=${value}`),
  )
  return ['-s -w', ...flags].join(' ')
}
