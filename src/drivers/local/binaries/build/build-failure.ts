import { VplaneError } from '../../../../shared/errors.ts'
import type { Hint } from '../../../../shared/hint.ts'
import { buildCacheFolder } from '../cache/cache-layout.ts'
import type { Go, GoResult } from './go.ts'
import type { GoBuild } from './go-build.ts'
import { diskFull } from '../cache/storage-error.ts'

const SHOWN_LINES = 12

const OWN_BINARIES: Hint = { purpose: 'to use your own binaries', binDir: 'DIR' }

interface FailureContext {
  build: GoBuild
  paths: { cache: string }
  isOffline: boolean
  downloadFailure?: string
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
  if (/no space left on device|disk quota exceeded/i.test(text)) {
    return diskFull(buildCacheFolder(paths.cache), `building ${title} needs more`)
  }
  if (isOffline && /GOPROXY=off/.test(text)) {
    return new VplaneError(
      'FAILED',
      `the source of ${title} is not in the Go module cache, and VPLANE_OFFLINE is set`,
      { hints: [build.again, OWN_BINARIES] },
    )
  }
  const [, goVersion] = /requires go >= ?(\d+\.\d+)/.exec(text) ?? []
  if (goVersion !== undefined) {
    return new VplaneError('FAILED', `building ${title} needs Go ${goVersion} or newer`, {
      hints: ['go version', 'https://go.dev/dl', 'env -u GOTOOLCHAIN lets Go fetch what it needs'],
    })
  }
  const versions = isOffline ? [] : await publishedVersions(go, build)
  if (versions.length > 0 && !versions.includes(build.version)) {
    return new VplaneError('FAILED', `there is no source of ${title} to build from`, {
      hints: [...near(versions, build.version), ...downloadHint(context)],
    })
  }
  const lines = result.lines.slice(-SHOWN_LINES).map((line) => `  ${line}`)
  return new VplaneError('FAILED', [`building ${title} failed`, ...lines].join('\n'), {
    hints: downloadHint(context),
  })
}

/** The error when binaries were not downloaded, and Go is not installed. */
export function goMissing(
  { packages, title }: GoBuild,
  context: { isOffline: boolean; downloadFailure?: string },
): VplaneError {
  const why = context.isOffline
    ? 'VPLANE_OFFLINE is set'
    : (context.downloadFailure ?? 'no download')
  return new VplaneError(
    'FAILED',
    `cannot get ${Object.keys(packages).join(', ')} of ${title}: ${why}, and no Go is installed to build with`,
    {
      hints: [
        'install Go and run the command again: https://go.dev/dl',
        'VPLANE_MIRROR=https://mirror.example.com uses a mirror of dl.k8s.io and github.com',
        OWN_BINARIES,
      ],
    },
  )
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
