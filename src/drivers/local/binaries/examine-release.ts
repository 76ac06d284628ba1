import { tmpdir } from 'node:os'
import { messageOf, VplaneError } from '../../../shared/errors.ts'
import { within } from '../../../shared/wait.ts'
import { createGo } from './build/go.ts'
import { releaseBuild } from './build/go-build.ts'
import { type BinaryName, type Release, titleOf } from './cache/binary.ts'
import { binaryPath } from './cache/cache-layout.ts'
import { isExecutable } from './cache/is-executable.ts'
import { formatPlatform } from './cache/platform.ts'
import { type PullHint, pullHint } from './cache/pull-hint.ts'
import type { DownloadContext } from './download/download-release.ts'
import { expectedChecksum } from './download/expected-checksum.ts'
import { openHttp } from './download/http.ts'
import { isOffline, sourcesOf } from './download/sources.ts'

const ANSWER_MS = 5000

/** Which binaries of a release the cache lacks, and how vplane would get them. */
export interface ReleaseSupply {
  /** `etcd 3.6.16` */
  title: string
  missing: BinaryName[]
  /** Where vplane would get them; undefined when it cannot, or when none is missing. */
  source?: 'download' | 'build'
  /** Why it cannot, or cannot download them. */
  reasons: string[]
  /** The action that gets them; undefined for versions that cannot be pulled. */
  pull: PullHint | undefined
}

type ExamineContext = Omit<DownloadContext, 'signal' | 'ui'>

/** Checks how vplane would get missing binaries of a release. It downloads only checksums, and builds nothing. */
export async function examineRelease(
  release: Release,
  { beside, names }: { names: readonly BinaryName[]; beside: string },
  context: ExamineContext,
): Promise<ReleaseSupply> {
  const { environment, paths } = context
  const missing = names.filter((name) => !isExecutable(binaryPath(paths.cache, release, name)))
  const supply = { title: titleOf(release), missing, pull: pullHint(release, beside) }
  if (missing.length === 0) {
    return { ...supply, reasons: [] }
  }
  const noDownload = isOffline(environment)
    ? 'VPLANE_OFFLINE is set'
    : await whyNot((signal) => checkDownloads(release, missing, { ...context, signal }))
  if (noDownload === undefined) {
    return { ...supply, source: 'download', reasons: [] }
  }
  const noBuild = await whyNot((signal) => checkBuild(release, missing, { ...context, signal }))
  return noBuild === undefined
    ? { ...supply, source: 'build', reasons: [noDownload] }
    : { ...supply, reasons: [noDownload, noBuild] }
}

async function whyNot(check: (signal: AbortSignal) => Promise<void>): Promise<string | undefined> {
  try {
    await within(ANSWER_MS, check)
    return undefined
  } catch (error) {
    return messageOf(error).split('\n')[0]
  }
}

type CheckContext = ExamineContext & { signal: AbortSignal }

async function checkDownloads(
  release: Release,
  names: readonly BinaryName[],
  context: CheckContext,
): Promise<void> {
  const { downloads, unavailable } = sourcesOf(release, names, context)
  if (unavailable.length > 0) {
    const platform = formatPlatform(release.platform)
    throw new VplaneError('NOT_FOUND', `there is no trusted build for ${platform}`)
  }
  await using http = await openHttp(context.environment, context.limits)
  await Promise.all(downloads.map((download) => expectedChecksum(http, download, context.signal)))
}

/** Checks that Go is installed and has the source, or can get it. */
async function checkBuild(
  release: Release,
  names: readonly BinaryName[],
  { environment, paths, signal }: CheckContext,
): Promise<void> {
  const { module, packages, platform, version } = releaseBuild(release, names, paths.cache)
  // Each program of etcd is its own module.
  const modules = release.project === 'etcd' ? Object.values(packages) : [module]
  const options = { cache: paths.cache, environment, folder: tmpdir(), platform, signal }
  const cached = createGo({ ...options, isOffline: true })
  const downloads = modules.map((name) => `${name}@v${version}`)
  if ((await cached.run(['mod', 'download', '-json', ...downloads])).isOk) {
    return
  }
  if (isOffline(environment)) {
    throw new VplaneError('NOT_FOUND', 'the source is not in the Go module cache')
  }
  const go = createGo({ ...options, isOffline: false })
  for (const name of modules) {
    const { isOk, lines, stdout } = await go.run(['list', '-m', '-versions', name])
    if (!isOk || !stdout.split(/\s+/).includes(`v${version}`)) {
      throw new VplaneError('NOT_FOUND', `Go finds no source of ${name}: ${lines.at(-1) ?? stdout}`)
    }
  }
}
