import { type BinaryName, type Project, type Release, titleOf } from '../cache/binary.ts'
import { releaseFolder } from '../cache/cache-layout.ts'
import { goModOf, linkerFlagsOf, MODULES, packageOf } from './go-module.ts'
import type { Platform } from '../cache/platform.ts'

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
  /** The command that builds it again with the network allowed. */
  command: string
}

const SPACE: Record<Project, GoBuild['space']> = {
  kubernetes: { cold: 4 * GIB, warm: GIB },
  etcd: { cold: GIB / 2, warm: GIB / 4 },
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
    packages: Object.fromEntries(names.map((name) => [name, packageOf(name)])),
    goMod: (published) => goModOf(release, published),
    linkerFlags: linkerFlagsOf(release),
    space: SPACE[project],
    folder: releaseFolder(cache, release),
    command: project === 'kubernetes' ? `vplane binaries pull ${version}` : 'vplane binaries pull',
  }
}
