import { type BinaryName, type Project, type Release, titleOf } from '../cache/binary.ts'
import { releaseFolder } from '../cache/cache-layout.ts'
import type { Platform } from '../cache/platform.ts'
import type { Hint } from '../../../../shared/hint.ts'

const GIB = 1024 ** 3

/** Programs of one Go module in one version, and how they are built. */
export interface GoBuild {
  /** As people call it: `Kubernetes 1.36.3`. */
  title: string
  /** The module that versions are looked up by. */
  module: string
  /** Without a `v`: `1.36.3`. */
  version: string
  platform: Platform
  /** Main packages by the names of the binaries. */
  packages: Readonly<Record<string, string>>
  /** The go.mod to build from, made from the one that the module is published with. */
  goMod: (published: string) => string
  linkerFlags: string
  /** The bytes that a first build writes, and one with a filled build cache. */
  space: { cold: number; warm: number }
  /** Where the binaries go. */
  folder: string
  /** How to build it again with the network allowed. */
  again: Hint
}

const SPACE: Record<Project, GoBuild['space']> = {
  kubernetes: { cold: 4 * GIB, warm: GIB },
  etcd: { cold: GIB / 2, warm: GIB / 4 },
}

/** The module that a project's versions are looked up by. */
const MODULES: Record<Project, string> = {
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

/** How binaries of a release are built into the cache. */
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
    again: {
      purpose: 'without VPLANE_OFFLINE',
      action: 'get-binaries',
      ...(project === 'kubernetes' ? { what: version } : {}),
    },
  }
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
function goModOf({ project, version }: Release, published: string): string {
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
function linkerFlagsOf({ project, version }: Release): string {
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
