import { type BinaryName, type Project, type Release, titleOf } from '../cache/binary.ts'
import { releaseFolder } from '../cache/cache-layout.ts'
import type { Platform } from '../cache/platform.ts'

const GIB = 1024 ** 3

/** How programs of one Go module in one version are built. */
export interface GoBuild {
  /** `Kubernetes 1.36.3` */
  title: string
  /** The module whose versions are listed. */
  module: string
  /** Without a `v`: `1.36.3`. */
  version: string
  platform: Platform
  /** Main packages by the names of their binaries. */
  packages: Readonly<Record<string, string>>
  /** Whether the packages' tests are built, as `go test -c` does, instead of the packages. @default false */
  areTests?: boolean
  /** Returns the go.mod to build from, given the published one. */
  goMod: (published: string) => string
  linkerFlags: string
  /** The bytes that a build writes without and with a filled build cache. */
  space: { cold: number; warm: number }
  folder: string
}

const SPACE: Record<Project, GoBuild['space']> = {
  kubernetes: { cold: 4 * GIB, warm: GIB },
  etcd: { cold: GIB / 2, warm: GIB / 4 },
  kine: { cold: GIB, warm: GIB / 4 },
}

const MODULES: Record<Project, string> = {
  kubernetes: 'k8s.io/kubernetes',
  etcd: 'go.etcd.io/etcd/server/v3',
  kine: 'github.com/k3s-io/kine',
}

const PACKAGES: Record<BinaryName, string> = {
  etcd: 'go.etcd.io/etcd/server/v3',
  etcdutl: 'go.etcd.io/etcd/etcdutl/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  kine: 'github.com/k3s-io/kine',
}

/** For releases of kine: newer versions of modules that they require, and that the proxy for Go modules does not have any more. */
const WITHDRAWN: Readonly<Record<string, readonly string[]>> = {
  // For a store that vplane does not use.
  '0.17.2': ['github.com/t4db/t4 v1.1.14'],
}

/** The build of binaries of a release for the cache. */
export function releaseBuild(
  release: Release,
  names: readonly BinaryName[],
  cache: string,
): GoBuild {
  const { platform, project, version } = release
  return {
    title: titleOf(release),
    module: MODULES[project],
    version,
    platform,
    packages: Object.fromEntries(names.map((name) => [name, PACKAGES[name]])),
    goMod: (published) => goModOf(release, published),
    linkerFlags: linkerFlagsOf(release),
    space: SPACE[project],
    folder: releaseFolder(cache, release),
  }
}

/** The name that Go gives a package's binary: the last part of the path that is not a major version. */
export function outputNameOf(path: string, areTests = false): string {
  const parts = path.split('/').filter((part) => !/^v\d+$/.test(part))
  return `${parts.at(-1) ?? path}${areTests ? '.test' : ''}`
}

/**
 * The go.mod from which a release is built. That of Kubernetes replaces the modules of its staging folder with relative
 * paths, which Go ignores in a required module: so it is copied, with the published versions of these modules.
 */
function goModOf({ project, version }: Release, published: string): string {
  if (project === 'etcd') {
    const modules = [PACKAGES.etcd, PACKAGES.etcdutl].map((path) => `require ${path} v${version}\n`)
    return `module vplane.dev/build\n\ngo 1.24\n\n${modules.join('')}`
  }
  if (project === 'kine') {
    const newer = WITHDRAWN[version] ?? []
    const modules = [`${PACKAGES.kine} v${version}`, ...newer].map((one) => `require ${one}\n`)
    return `module vplane.dev/build\n\ngo 1.26\n\n${modules.join('')}`
  }
  const staging = `v0${version.slice(version.indexOf('.'))}`
  const own = published
    .replace(/^module .*$/m, 'module vplane.dev/build')
    .replaceAll(/=> \.\/staging\/src\/(k8s\.io\/[a-z0-9-]+)/g, `=> $1 ${staging}`)
    .replaceAll(/^(\s+k8s\.io\/[a-z0-9-]+) v0\.0\.0(?=\s|$)/gm, `$1 ${staging}`)
  return `${own}\nrequire k8s.io/kubernetes v${version}\n`
}

/** No debug symbols, and the version that the binaries report. The same input gives the same binary. */
function linkerFlagsOf({ project, version }: Release): string {
  if (project === 'etcd') {
    return '-s -w'
  }
  if (project === 'kine') {
    const values = [`Version=v${version}`, 'GitCommit=']
    return ['-s -w', ...values.map((value) => `-X ${PACKAGES.kine}/pkg/version.${value}`)].join(' ')
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
