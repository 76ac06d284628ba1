import { VplaneError } from '../../../../shared/errors.ts'
import type { Hint } from '../../../../shared/hint.ts'
import type { Paths } from '../../../../shared/paths.ts'
import { buildCacheFolder } from '../cache/cache-layout.ts'
import type { Go, GoResult } from './go.ts'
import type { GoBuild } from './go-build.ts'
import type { PullHint } from '../cache/pull-hint.ts'
import { diskFull } from '../cache/storage-error.ts'

const SHOWN_LINES = 12

const MIRROR = 'VPLANE_MIRROR=https://mirror.example.com uses a mirror of dl.k8s.io and github.com'

/** What Go prints when it cannot reach the servers of modules. */
const NO_NETWORK =
  /dial tcp|no such host|connection refused|network is unreachable|i\/o timeout|TLS handshake timeout|proxyconnect/i

export interface FailureContext {
  build: GoBuild
  paths: Pick<Paths, 'cache'>
  /** Use only the module cache. */
  isOffline: boolean
  downloadFailure?: string
  /** How to get them later. @default there is no such command */
  pull?: PullHint
  /** Whether the user can choose a folder with own binaries. @default false */
  canChooseFolder?: boolean
}

/** The error for a failed run of Go: a known cause with hints, else its last lines. */
export async function buildFailure(
  go: Go,
  result: GoResult,
  context: FailureContext,
): Promise<VplaneError> {
  const { build, isOffline, paths } = context
  const text = result.lines.join('\n')
  const { title } = build
  const names = namesOf(build)
  if (/no space left on device|disk quota exceeded/i.test(text)) {
    return diskFull(buildCacheFolder(paths.cache), `building ${title} needs more`)
  }
  if (isOffline && /GOPROXY=off/.test(text)) {
    const message = `cannot build ${names} of ${title}: the source is not in the Go module cache, and VPLANE_OFFLINE is set`
    const hints = [...pullHints('without VPLANE_OFFLINE', context), ownBinaries(context)]
    return new VplaneError('FAILED', message, { hints })
  }
  const [, goVersion] = /requires go >= ?(\d+\.\d+)/.exec(text) ?? []
  if (goVersion !== undefined) {
    const hints = [
      'go version',
      'https://go.dev/dl',
      'env -u GOTOOLCHAIN lets Go fetch what it needs',
    ]
    const message = `building ${names} of ${title} needs Go ${goVersion} or newer`
    return new VplaneError('FAILED', message, { hints })
  }
  const versions = isOffline ? [] : await publishedVersions(go, build)
  if (versions.length > 0 && !versions.includes(build.version)) {
    return new VplaneError('FAILED', `there is no source of ${title} to build from`, {
      hints: [...near(versions, build.version), ...downloadHint(context)],
    })
  }
  const lines = result.lines.slice(-SHOWN_LINES).map((line) => `  ${line}`)
  const otherWays = NO_NETWORK.test(text)
    ? [...pullHints('with a network', context), ownBinaries(context)]
    : []
  return new VplaneError('FAILED', [`building ${names} of ${title} failed`, ...lines].join('\n'), {
    hints: [...downloadHint(context), ...otherWays],
  })
}

/** The error when binaries were not downloaded, and Go is not installed. */
export function goMissing(context: FailureContext): VplaneError {
  const { build, downloadFailure = 'no download', isOffline } = context
  const why = isOffline ? 'VPLANE_OFFLINE is set' : downloadFailure
  const message = `cannot get ${namesOf(build)} of ${build.title}: ${why}, and no Go is installed to build with`
  return new VplaneError('FAILED', message, {
    hints: [
      'install Go and run the command again: https://go.dev/dl',
      ...(isOffline ? [] : [MIRROR]),
      ...pullHints(isOffline ? 'without VPLANE_OFFLINE' : 'with a network', context),
      ownBinaries(context),
    ],
  })
}

function namesOf({ packages }: GoBuild): string {
  return Object.keys(packages).join(', ')
}

function pullHints(purpose: string, { pull }: FailureContext): Hint[] {
  return pull === undefined ? [] : [{ purpose, ...pull }]
}

/** Most commands have no option for a folder of binaries; all of them look in the cache. */
function ownBinaries({ build, canChooseFolder = false }: FailureContext): Hint {
  return canChooseFolder
    ? { purpose: 'to use your own binaries', binDir: 'DIR' }
    : `copy ${namesOf(build)} of ${build.title} to ${build.folder}`
}

function downloadHint({ downloadFailure }: FailureContext): string[] {
  return downloadFailure === undefined ? [] : [`it was not downloaded because ${downloadFailure}`]
}

async function publishedVersions(go: Go, { module }: GoBuild): Promise<string[]> {
  const { isOk, stdout } = await go.run(['list', '-m', '-versions', module])
  const words = isOk ? stdout.trim().split(/\s+/) : []
  return words.flatMap((word) => /^v(\d+\.\d+\.\d+)$/.exec(word)?.[1] ?? [])
}

/** A hint with published versions of the same minor, or else the newest of all. */
function near(versions: readonly string[], version: string): string[] {
  const minor = version.slice(0, version.lastIndexOf('.') + 1)
  const same = versions.filter((each) => each.startsWith(minor))
  const shown = (same.length > 0 ? same : versions).slice(-5)
  return [`there is ${shown.join(', ')}`]
}
