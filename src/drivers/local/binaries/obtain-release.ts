import { dirname } from 'node:path'
import type { Environment } from '../../../shared/environment.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { acquireFileLock } from '../../../shared/files/file-lock.ts'
import { makeFolder } from '../../../shared/files/make-folder.ts'
import { type BinaryName, type Release, titleOf } from './cache/binary.ts'
import { type BuildContext, buildPrograms } from './build/build-programs.ts'
import { releaseBuild } from './build/go-build.ts'
import { binaryPath, releaseFolder, releaseLockPath } from './cache/cache-layout.ts'
import { type DownloadContext, downloadRelease } from './download/download-release.ts'
import { isExecutable } from './cache/is-executable.ts'
import { removeIfEmpty } from './cache/remove-if-empty.ts'
import { toStorageError } from './cache/storage-error.ts'

/** Long enough for a cold build on a small machine. */
const LOCK_TIMEOUT_MS = 3_600_000

/**
 * Adds binaries of a release to the cache: downloads them, else builds them.
 *
 * @throws {VplaneError} `FAILED` when both fail, `ABORTED` when the signal fires.
 */
export async function obtainRelease(
  release: Release,
  names: readonly BinaryName[],
  context: DownloadContext,
): Promise<void> {
  const { environment, paths, signal, ui } = context
  await using stack = new AsyncDisposableStack()
  const what = `another vplane that gets ${titleOf(release)}`
  const lock = await acquireFileLock(releaseLockPath(paths.cache, release), {
    what,
    timeoutMs: LOCK_TIMEOUT_MS,
    signal,
    onWait: () => ui.step(`waiting for ${what}`),
  })
  stack.use(lock)
  const missing = () =>
    names.filter((name) => !isExecutable(binaryPath(paths.cache, release, name)))
  if (missing().length === 0) {
    return
  }
  stack.use(await openFolder(releaseFolder(paths.cache, release)))
  const build = (how: Pick<BuildContext, 'isOffline' | 'downloadFailure'>) =>
    buildPrograms(releaseBuild(release, missing(), paths.cache), { ...context, ...how })
  if (isOffline(environment)) {
    ui.note(`VPLANE_OFFLINE is set: building ${titleOf(release)} from the Go module cache`)
    await build({ isOffline: true })
    return
  }
  const reasons = await downloadRelease(release, missing(), context)
  if (missing().length > 0) {
    const downloadFailure = reasons.join('; ')
    ui.note(`${downloadFailure}; building ${missing().join(', ')} with the installed Go instead`)
    await build({ isOffline: false, downloadFailure })
  }
}

function isOffline(environment: Environment): boolean {
  return !['', '0', 'false', undefined].includes(environment['VPLANE_OFFLINE'])
}

/** Creates a folder, and removes it again if it is still empty when disposed. */
async function openFolder(folder: string): Promise<AsyncDisposable> {
  try {
    makeFolder(folder)
  } catch (error) {
    throw (
      toStorageError(error, folder) ??
      new VplaneError('FAILED', `cannot create "${folder}"`, { cause: error })
    )
  }
  return {
    [Symbol.asyncDispose]: async () => {
      await removeIfEmpty(folder)
      await removeIfEmpty(dirname(folder))
    },
  }
}
