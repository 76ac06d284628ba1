import { dirname } from 'node:path'
import { VplaneError } from '../../../shared/errors.ts'
import { acquireFileLock } from '../../../shared/files/file-lock.ts'
import { makeFolder } from '../../../shared/files/make-folder.ts'
import { type BinaryName, type Release, titleOf } from './cache/binary.ts'
import { type BuildContext, buildPrograms } from './build/build-programs.ts'
import { releaseBuild } from './build/go-build.ts'
import { binaryPath, releaseFolder, releaseLockPath } from './cache/cache-layout.ts'
import { type DownloadContext, downloadRelease } from './download/download-release.ts'
import { pullHint } from './cache/pull-hint.ts'
import { isOffline } from './download/sources.ts'
import { isExecutable } from './cache/is-executable.ts'
import { removeIfEmpty } from './cache/remove-if-empty.ts'

/** Long enough for a cold build on a small machine. */
const LOCK_TIMEOUT_MS = 3_600_000

interface WantedPrograms {
  names: readonly BinaryName[]
  /** Got with them if possible; the user is told if not. */
  also: readonly BinaryName[]
  /** The version of Kubernetes that they are for. */
  beside: string
  canChooseFolder: boolean
}

/** Downloads or builds binaries. @throws {VplaneError} `FAILED` when both fail, or `ABORTED`. */
export async function obtainRelease(
  release: Release,
  wanted: WantedPrograms,
  context: DownloadContext,
): Promise<void> {
  const { paths, signal, ui } = context
  await using stack = new AsyncDisposableStack()
  const what = `another vplane that gets ${titleOf(release)}`
  const lock = await acquireFileLock(releaseLockPath(paths.cache, release), {
    what,
    timeoutMs: LOCK_TIMEOUT_MS,
    signal,
    onWait: () => ui.step(`waiting for ${what}`),
  })
  stack.use(lock)
  const { also, beside, canChooseFolder, names } = wanted
  const missing = (some: readonly BinaryName[]) =>
    some.filter((name) => !isExecutable(binaryPath(paths.cache, release, name)))
  if (missing([...names, ...also]).length === 0) {
    return
  }
  stack.use(openFolder(releaseFolder(paths.cache, release)))
  const pull = pullHint(release, beside)
  const hints = { canChooseFolder, ...(pull === undefined ? {} : { pull }) }
  const build = async (some: readonly BinaryName[], how: BuildMode) => {
    if (missing(some).length > 0) {
      const programs = releaseBuild(release, missing(some), paths.cache)
      await buildPrograms(programs, { ...context, ...how, ...hints })
    }
  }
  let how: BuildMode | undefined
  try {
    how = await download(release, missing([...names, ...also]), context)
    await build([...names, ...also], how)
  } catch (error) {
    const isAboutOthers =
      missing(also).length > 0 && (how !== undefined || missing(names).length === 0)
    if (!(error instanceof VplaneError) || error.code === 'ABORTED' || !isAboutOthers) {
      throw error
    }
    ui.failStep()
    if (how !== undefined) {
      await build(names, how)
    }
    const [reason = ''] = error.message.split('\n')
    const text = `${reason}; only a restore needs ${missing(also).join(', ')}`
    ui.note(text, pull && { purpose: 'to try again', ...pull })
  }
}

type BuildMode = Pick<BuildContext, 'isOffline' | 'downloadFailure'>

/** Downloads what can be downloaded, and returns how the rest is built. */
async function download(
  release: Release,
  names: readonly BinaryName[],
  context: DownloadContext,
): Promise<BuildMode> {
  const { environment, paths, ui } = context
  if (isOffline(environment)) {
    const what = `${names.join(', ')} of ${titleOf(release)}`
    ui.note(`VPLANE_OFFLINE is set: building ${what} from the Go module cache`)
    return { isOffline: true }
  }
  const reasons = await downloadRelease(release, names, context)
  const missing = names.filter((name) => !isExecutable(binaryPath(paths.cache, release, name)))
  const downloadFailure = reasons.join('; ')
  if (missing.length > 0) {
    ui.note(`${downloadFailure}; building ${missing.join(', ')} with the installed Go instead`)
  }
  return { isOffline: false, downloadFailure }
}

/** Creates a folder, and removes it again if it is still empty when disposed. */
function openFolder(folder: string): AsyncDisposable {
  makeFolder(folder)
  return {
    [Symbol.asyncDispose]: async () => {
      await removeIfEmpty(folder)
      await removeIfEmpty(dirname(folder))
    },
  }
}
