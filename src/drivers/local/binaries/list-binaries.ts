import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessErrorCode } from '../../../shared/errors.ts'
import type { Paths } from '../../../shared/paths.ts'
import { BINARY_NAMES, type BinaryName, PROJECTS, projectOf, type Release } from './cache/binary.ts'
import { binariesFolder, binaryPath } from './cache/cache-layout.ts'
import { sourceOf } from './cache/install-binary.ts'
import { isExecutable } from './cache/is-executable.ts'
import { parsePlatform } from './cache/platform.ts'

export interface CachedBinary {
  name: BinaryName
  version: string
  os: string
  arch: string
  path: string
  sizeBytes: number
  /** `unknown` when its record is missing. */
  source: 'download' | 'build' | 'unknown'
}

/** Lists the binaries in the cache, newest version first, in the order of `BINARY_NAMES`. */
export async function listBinaries(paths: Pick<Paths, 'cache'>): Promise<CachedBinary[]> {
  const releases = await listReleases(paths)
  const found = await Promise.all(
    releases.flatMap((release) =>
      BINARY_NAMES.filter((name) => projectOf(name) === release.project).map((name) =>
        describe(paths.cache, release, name),
      ),
    ),
  )
  return found.filter((binary) => binary !== undefined)
}

/** Lists the releases with a folder in the cache, newest first within each project. */
export async function listReleases({ cache }: Pick<Paths, 'cache'>): Promise<Release[]> {
  const releases: Release[] = []
  for (const project of PROJECTS) {
    const folder = join(binariesFolder(cache), project)
    const versions = (await names(folder))
      .filter((name) => /^\d+\.\d+\.\d+$/.test(name))
      .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))
    for (const version of versions) {
      const platforms = (await names(join(folder, version))).flatMap(
        (name) => parsePlatform(name) ?? [],
      )
      releases.push(...platforms.map((platform) => ({ project, version, platform })))
    }
  }
  return releases
}

async function describe(
  cache: string,
  release: Release,
  name: BinaryName,
): Promise<CachedBinary | undefined> {
  const path = binaryPath(cache, release, name)
  if (!isExecutable(path)) {
    return undefined
  }
  const { size } = await stat(path)
  const { platform, version } = release
  const source = sourceOf(path) ?? 'unknown'
  return { name, version, ...platform, path, sizeBytes: size, source }
}

async function names(folder: string): Promise<string[]> {
  return ((await unlessErrorCode(['ENOENT', 'ENOTDIR'], readdir(folder))) ?? []).sort()
}
