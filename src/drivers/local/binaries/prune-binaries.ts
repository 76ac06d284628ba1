import { readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasErrorCode } from '../../../shared/errors.ts'
import { tryFileLock } from '../../../shared/files/file-lock.ts'
import type { Paths } from '../../../shared/paths.ts'
import { type Project, titleOf } from './cache/binary.ts'
import {
  buildCacheFolder,
  buildLockPath,
  releaseFolder,
  releaseLockPath,
} from './cache/cache-layout.ts'
import { listReleases } from './list-binaries.ts'
import { formatPlatform } from './cache/platform.ts'
import { removeIfEmpty } from './cache/remove-if-empty.ts'

export interface PruneRequest {
  /** The versions that planes use. All others are removed. */
  keepVersions: Readonly<Record<Project, readonly string[]>>
  /** Also removes Go's build cache, after which the next build starts without one. @default false */
  buildCache?: boolean
}

export interface PrunedItem {
  path: string
  sizeBytes: number
}

export interface PruneResult {
  removed: PrunedItem[]
  freedBytes: number
  /** What other processes use now. */
  inUse: string[]
}

/** Removes unused binaries and interrupted downloads. */
export async function pruneBinaries(
  { buildCache = false, keepVersions }: PruneRequest,
  paths: Pick<Paths, 'cache'>,
): Promise<PruneResult> {
  const { cache } = paths
  const removed: PrunedItem[] = []
  const inUse: string[] = []
  for (const release of await listReleases(paths)) {
    const folder = releaseFolder(cache, release)
    const isUsed = keepVersions[release.project].includes(release.version)
    const lock = releaseLockPath(cache, release)
    const what = `${titleOf(release)} for ${formatPlatform(release.platform)}`
    await whenFree({ lock, what, inUse }, async () => {
      removed.push(...(await (isUsed ? removeParts(folder) : removeTree(folder))))
      await removeIfEmpty(dirname(folder))
    })
  }
  if (buildCache) {
    await whenFree({ lock: buildLockPath(cache), what: 'the build cache', inUse }, async () => {
      for (const folder of [buildCacheFolder(cache), join(cache, 'go-modules')]) {
        removed.push(...(await removeTree(folder)))
      }
    })
  }
  return { removed, freedBytes: removed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0), inUse }
}

/** Runs `work` under a lock, unless another process holds it. */
async function whenFree(
  { inUse, lock, what }: { lock: string; what: string; inUse: string[] },
  work: () => Promise<void>,
): Promise<void> {
  await using held = tryFileLock(lock)
  if (held === undefined) {
    inUse.push(what)
  } else {
    await work()
  }
}

/** Removes partial downloads and unfinished builds: their names start with a dot. */
async function removeParts(folder: string): Promise<PrunedItem[]> {
  const parts = (await readdir(folder)).filter((name) => name.startsWith('.'))
  const removed = await Promise.all(parts.map((name) => removeTree(join(folder, name))))
  return removed.flat()
}

async function removeTree(path: string): Promise<PrunedItem[]> {
  const sizeBytes = await sizeOf(path)
  if (sizeBytes === undefined) {
    return []
  }
  await rm(path, { recursive: true, force: true })
  return [{ path, sizeBytes }]
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const entries = await readdir(path, { withFileTypes: true, recursive: true })
    let sum = 0
    for (const entry of entries) {
      sum += entry.isFile() ? (await stat(join(entry.parentPath, entry.name))).size : 0
    }
    return sum
  } catch (error) {
    if (hasErrorCode(error, 'ENOTDIR')) {
      return (await stat(path)).size
    }
    if (hasErrorCode(error, 'ENOENT')) {
      return undefined
    }
    throw error
  }
}
