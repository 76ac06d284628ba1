import { existsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment } from '../../../../shared/environment.ts'
import { isVplaneError } from '../../../../shared/errors.ts'
import { acquireFileLock } from '../../../../shared/files/file-lock.ts'
import type { Ui } from '../../../../shared/ui.ts'
import { writeFile } from '../../../../shared/files/write-file.ts'
import { buildFailure, type FailureContext, goMissing } from './build-failure.ts'
import { buildCacheFolder, buildLockPath, buildModuleFolder } from '../cache/cache-layout.ts'
import { createGo, type Go } from './go.ts'
import { type GoBuild, outputNameOf } from './go-build.ts'
import { installBinary } from '../cache/install-binary.ts'
import { requireFreeSpace, toStorageError } from '../cache/storage-error.ts'
import { fieldAt } from '../../../../shared/json-fields.ts'

const LOCK_TIMEOUT_MS = 3_600_000

/**
 * Flags for all packages: no paths of this machine, and no DWARF, which the linker would remove. That saves 15 % of the
 * CPU time and a quarter of the cache (Go 1.26). Stack traces retain names and lines.
 */
export const COMPILER_FLAGS = ['-trimpath', '-gcflags=all=-dwarf=false']

/** Prints the packages that must be compiled, without those in the build cache. */
const STALE_PACKAGE_FORMAT =
  '{{if and .Stale (ne .StaleReason "not installed but available in build cache")}}{{.ImportPath}}{{end}}'

export interface BuildContext extends Omit<FailureContext, 'build'> {
  environment: Environment
  ui: Ui
  signal: AbortSignal
}

/**
 * Builds programs with the installed Go, from the Go module proxy. All builds share one build cache, from which an
 * interrupted build continues.
 *
 * @throws {VplaneError} `FAILED` when Go, the version or disk space is missing, or the build fails, `ABORTED` when the
 * signal fires.
 */
export async function buildPrograms(wanted: GoBuild, context: BuildContext): Promise<void> {
  const { environment, isOffline, paths, signal, ui } = context
  const { cache } = paths
  const what = 'another build by vplane'
  await using _ = await acquireFileLock(buildLockPath(cache), {
    what,
    timeoutMs: LOCK_TIMEOUT_MS,
    signal,
    onWait: () => ui.step(`waiting for ${what}`),
  })
  const { platform, space } = wanted
  const folder = buildModuleFolder(cache, wanted)
  const go = createGo({ folder, cache, environment, platform, isOffline, signal })
  ui.step(`building ${subjectOf(wanted)} from source`)
  try {
    await requireFreeSpace(cache, existsSync(buildCacheFolder(cache)) ? space.warm : space.cold)
    await using module = await createEmptyFolder(folder)
    await prepareModule(go, wanted, { ...context, folder: module.path })
    await build(go, wanted, context)
  } catch (error) {
    if (isVplaneError(error, 'NOT_FOUND')) {
      throw goMissing({ ...context, build: wanted })
    }
    throw toStorageError(error, cache) ?? error
  }
}

/** `Kubernetes 1.36.3`; of a single program `etcdutl of etcd 3.6.16`. */
function subjectOf({ packages, title }: GoBuild): string {
  const [only = '', ...others] = Object.keys(packages)
  return others.length > 0 || title.startsWith(`${only} `) ? title : `${only} of ${title}`
}

async function createEmptyFolder(path: string): Promise<AsyncDisposable & { path: string }> {
  const remove = () => rm(path, { recursive: true, force: true })
  await remove()
  await mkdir(path, { recursive: true, mode: 0o700 })
  return { path, [Symbol.asyncDispose]: remove }
}

/** @throws {VplaneError} `FAILED` when the source of the programs cannot be downloaded. */
async function prepareModule(
  go: Go,
  wanted: GoBuild,
  context: BuildContext & { folder: string },
): Promise<void> {
  const { folder, ui } = context
  ui.progress('fetching the source')
  const result = await go.run(['mod', 'download', '-json', `${wanted.module}@v${wanted.version}`])
  const answer = parseAnswer(result.stdout)
  const goMod = fieldAt(answer, 'GoMod')
  if (!result.isOk || typeof goMod !== 'string') {
    const reason = fieldAt(answer, 'Error')
    const lines = typeof reason === 'string' ? reason.split('\n') : result.lines
    throw await buildFailure(go, { ...result, lines }, { ...context, build: wanted })
  }
  await writeFile(join(folder, 'go.mod'), wanted.goMod(await readFile(goMod, 'utf8')))
}

function parseAnswer(stdout: string): unknown {
  try {
    return JSON.parse(stdout)
  } catch {
    // Go prints no JSON when it fails early; its message is on stderr.
    return undefined
  }
}

async function build(go: Go, wanted: GoBuild, context: BuildContext): Promise<void> {
  const { ui } = context
  const { areTests = false, folder, linkerFlags, packages } = wanted
  const paths = Object.values(packages)
  const shared = ['-mod=mod', ...COMPILER_FLAGS]
  const onDownload = createBuildProgress(ui, new Set())
  const kind = areTests ? ['-test'] : []
  const list = ['list', '-deps', ...kind, '-f', STALE_PACKAGE_FORMAT, ...shared, ...paths]
  const listed = await go.run(list, onDownload)
  if (!listed.isOk) {
    throw await buildFailure(go, listed, { ...context, build: wanted })
  }
  const stale = new Set([...listed.stdout.split('\n').filter((line) => line !== ''), ...paths])
  await using output = await createEmptyFolder(join(folder, '.build'))
  const flags = ['-v', '-buildvcs=false', '-ldflags', linkerFlags]
  const verb = areTests ? ['test', '-c'] : ['build']
  const command = [...verb, ...shared, ...flags, '-o', `${output.path}/`, ...paths]
  const built = await go.run(command, createBuildProgress(ui, stale))
  if (!built.isOk) {
    throw await buildFailure(go, built, { ...context, build: wanted })
  }
  for (const [name, path] of Object.entries(packages)) {
    const file = join(output.path, outputNameOf(path, areTests))
    await installBinary(file, join(folder, name), { source: 'build', origin: path })
  }
}

/** Shows progress from the lines that Go prints: modules that it downloads, packages that it starts to compile. */
function createBuildProgress(ui: Ui, packages: ReadonlySet<string>): (line: string) => void {
  const done = new Set<string>()
  return (line) => {
    const [, module] = /^go: downloading (\S+)/.exec(line) ?? []
    if (module !== undefined) {
      ui.progress(`fetching ${module}`)
    } else if (packages.has(line) && !done.has(line)) {
      done.add(line)
      ui.progress(
        done.size === packages.size ? 'linking' : `${done.size} of ${packages.size} packages`,
      )
    }
  }
}
