import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment } from '../../../shared/environment.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { acquireFileLock } from '../../../shared/file-lock.ts'
import type { Paths } from '../../../shared/paths.ts'
import type { Ui } from '../../../shared/ui.ts'
import { type BinaryName, type Project, type Release, titleOf } from './binary.ts'
import { buildFailure, noGo } from './build-failure.ts'
import { createBuildProgress, STALE_PACKAGE_FORMAT } from './build-progress.ts'
import {
  buildCacheFolder,
  buildLockPath,
  buildModuleFolder,
  releaseFolder,
} from './cache-layout.ts'
import { sha256Of } from './checksum.ts'
import { createGo, type Go } from './go.ts'
import { linkerFlagsOf, outputNameOf, packageOf } from './go-module.ts'
import { installBinary } from './install-binary.ts'
import { prepareModule } from './prepare-module.ts'
import { requireFreeSpace, toStorageError } from './storage-error.ts'

const LOCK_TIMEOUT_MS = 3_600_000
const GIB = 1024 ** 3

/** What a first build writes, and what one with a filled build cache does. */
const SPACE: Record<Project, { cold: number; warm: number }> = {
  kubernetes: { cold: 4 * GIB, warm: GIB },
  etcd: { cold: GIB / 2, warm: GIB / 4 },
}

export interface BuildContext {
  paths: Pick<Paths, 'cache'>
  environment: Environment
  ui: Ui
  signal: AbortSignal
  /** Use what is in the module cache and nothing else. */
  isOffline: boolean
  /** Why the binaries were not downloaded, for the error when they cannot be built either. */
  downloadFailure?: string
}

/**
 * Builds binaries of a release with the installed Go, from the Go module proxy. A build that was cut off goes on where
 * it stopped; versions share one build cache.
 *
 * @throws {VplaneError} `FAILED` when there is no Go, no such version, no space or the build fails, `ABORTED` when the
 * signal fires.
 */
export async function buildRelease(
  release: Release,
  names: readonly BinaryName[],
  context: BuildContext,
): Promise<void> {
  const { environment, isOffline, paths, signal, ui } = context
  const { cache } = paths
  await using _ = await acquireFileLock(buildLockPath(cache), {
    what: 'another build by vplane',
    timeoutMs: LOCK_TIMEOUT_MS,
    signal,
    onWait: () => ui.step('waiting for another build by vplane'),
  })
  const folder = buildModuleFolder(cache, release)
  const { platform } = release
  const go = createGo({ folder, cache, environment, platform, isOffline, signal })
  ui.step(`building ${titleOf(release)} from source`)
  try {
    const { cold, warm } = SPACE[release.project]
    await requireFreeSpace(cache, existsSync(buildCacheFolder(cache)) ? warm : cold)
    await using module = await makeEmpty(folder)
    await prepareModule(go, release, { ...context, folder: module.path })
    await build(go, names, { ...context, release })
  } catch (error) {
    if (error instanceof VplaneError && error.code === 'NOT_FOUND') {
      throw noGo(release, names, context)
    }
    throw toStorageError(error, cache) ?? error
  }
}

async function build(
  go: Go,
  names: readonly BinaryName[],
  context: BuildContext & { release: Release },
): Promise<void> {
  const { paths, release, ui } = context
  const packages = names.map(packageOf)
  const shared = ['-mod=mod', '-trimpath']
  const onDownload = createBuildProgress(ui, new Set())
  const list = ['list', '-deps', '-f', STALE_PACKAGE_FORMAT, ...shared, ...packages]
  const listed = await go.run(list, { onLine: onDownload })
  if (!listed.isOk) {
    throw await buildFailure(go, listed, context)
  }
  const stale = new Set([...listed.stdout.split('\n').filter((line) => line !== ''), ...packages])
  const folder = releaseFolder(paths.cache, release)
  await using output = await makeEmpty(join(folder, '.build'))
  const flags = ['-v', '-buildvcs=false', '-ldflags', linkerFlagsOf(release)]
  const built = await go.run(['build', ...shared, ...flags, '-o', `${output.path}/`, ...packages], {
    onLine: createBuildProgress(ui, stale),
  })
  if (!built.isOk) {
    throw await buildFailure(go, built, context)
  }
  for (const name of names) {
    const file = join(output.path, outputNameOf(name))
    const sha256 = await sha256Of(file)
    await installBinary(file, join(folder, name), {
      source: 'build',
      origin: packageOf(name),
      sha256,
    })
  }
}

/** An empty folder that is gone afterwards, whatever happens. */
async function makeEmpty(path: string): Promise<AsyncDisposable & { path: string }> {
  const remove = () => rm(path, { recursive: true, force: true })
  await remove()
  await mkdir(path, { recursive: true, mode: 0o700 })
  return { path, [Symbol.asyncDispose]: remove }
}
