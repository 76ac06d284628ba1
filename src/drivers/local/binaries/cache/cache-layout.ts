import { join } from 'node:path'
import type { BinaryName, Release } from './binary.ts'
import { formatPlatform } from './platform.ts'

// Everything below the cache folder can be removed at any time, and is created again.

/** The folder of all binaries: `<cache>/bin/<project>/<version>/<os>-<arch>/<name>`. */
export function binariesFolder(cache: string): string {
  return join(cache, 'bin')
}

/** The folder of one release's binaries, without other executables. */
export function releaseFolder(cache: string, { project, version, platform }: Release): string {
  return join(binariesFolder(cache), project, version, formatPlatform(platform))
}

export function binaryPath(cache: string, release: Release, name: BinaryName): string {
  return join(releaseFolder(cache, release), name)
}

/** The lock for changes to a release's folder. */
export function releaseLockPath(cache: string, { project, version, platform }: Release): string {
  return join(cache, 'locks', `${project}-${version}-${formatPlatform(platform)}.lock`)
}

/** The lock of the build cache: two builds at once take longer than one after the other. */
export function buildLockPath(cache: string): string {
  return join(cache, 'locks', 'go-build.lock')
}

/** Go's build cache for all versions, separate from the user's own. */
export function buildCacheFolder(cache: string): string {
  return join(cache, 'go-build')
}

/** The folder of the Go module that programs are built from. */
export function buildModuleFolder(
  cache: string,
  { module, version }: { module: string; version: string },
): string {
  return join(cache, 'go-modules', `${module.replaceAll('/', '-')}-${version}`)
}
