import { dirname } from 'node:path'
import type { Environment } from '../../../shared/environment.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { acquireFileLock } from '../../../shared/files/file-lock.ts'
import { makeFolder } from '../../../shared/files/make-folder.ts'
import type { Paths } from '../../../shared/paths.ts'
import type { Ui } from '../../../shared/ui.ts'
import { type BinaryName, type Release, titleOf } from './cache/binary.ts'
import { buildRelease } from './build/build-release.ts'
import { binaryPath, releaseFolder, releaseLockPath } from './cache/cache-layout.ts'
import { downloadRelease } from './download/download-release.ts'
import type { HttpLimits } from './download/http.ts'
import { isExecutable } from './cache/is-executable.ts'
import { removeIfEmpty } from './cache/remove-if-empty.ts'
import { toStorageError } from './cache/storage-error.ts'

/** Long enough for a cold build on a small machine. */
const LOCK_TIMEOUT_MS = 3_600_000

export interface ObtainContext {
  paths: Pick<Paths, 'cache'>
  environment: Environment
  ui: Ui
  signal: AbortSignal
  /** How long servers are waited for. @default seconds, see `HttpLimits` */
  limits?: Partial<HttpLimits>
}

/**
 * Puts binaries of a release into the cache: downloaded, else built.
 *
 * @throws {VplaneError} `FAILED` when there is no way to get them, `ABORTED` when the signal fires.
 */
export async function obtainRelease(
  release: Release,
  names: readonly BinaryName[],
  context: ObtainContext,
): Promise<void> {
  const { environment, paths, signal, ui } = context
  await using stack = new AsyncDisposableStack()
  const lock = await acquireFileLock(releaseLockPath(paths.cache, release), {
    what: `another vplane that gets ${titleOf(release)}`,
    timeoutMs: LOCK_TIMEOUT_MS,
    signal,
    onWait: () => ui.step(`waiting for another vplane that gets ${titleOf(release)}`),
  })
  stack.use(lock)
  const missing = () =>
    names.filter((name) => !isExecutable(binaryPath(paths.cache, release, name)))
  if (missing().length === 0) {
    return
  }
  stack.use(await openFolder(releaseFolder(paths.cache, release)))
  if (isOffline(environment)) {
    ui.note(`VPLANE_OFFLINE is set: building ${titleOf(release)} from the Go module cache`)
    await buildRelease(release, missing(), { ...context, isOffline: true })
    return
  }
  const reasons = await downloadRelease(release, missing(), context)
  if (missing().length > 0) {
    const reason = reasons.join('; ')
    ui.note(`${reason}; building ${missing().join(', ')} with the installed Go instead`)
    await buildRelease(release, missing(), {
      ...context,
      isOffline: false,
      downloadFailure: reason,
    })
  }
}

function isOffline(environment: Environment): boolean {
  return !['', '0', 'false', undefined].includes(environment['VPLANE_OFFLINE'])
}

/** Makes a folder, and removes it again when nothing came into it. */
async function openFolder(folder: string): Promise<AsyncDisposable> {
  try {
    makeFolder(folder)
  } catch (error) {
    throw (
      toStorageError(error, folder) ??
      new VplaneError('FAILED', `cannot make "${folder}"`, { cause: error })
    )
  }
  return {
    [Symbol.asyncDispose]: async () => {
      await removeIfEmpty(folder)
      await removeIfEmpty(dirname(folder))
    },
  }
}
