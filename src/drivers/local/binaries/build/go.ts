import { totalmem } from 'node:os'
import { execa } from 'execa'
import type { Environment } from '../../../../shared/environment.ts'
import { hasErrorCode, VplaneError } from '../../../../shared/errors.ts'
import { buildCacheFolder } from '../cache/cache-layout.ts'
import type { Platform } from '../cache/platform.ts'
import { sendSignal } from '../../../../shared/processes/send-signal.ts'

const MAX_LINES = 30
const KILL_AFTER_MS = 5000

/** Modules in the cache were verified when they were downloaded; the checksum database needs the network. */
const OFFLINE = { GOPROXY: 'off', GONOPROXY: 'none', GOSUMDB: 'off' }

/** Less garbage collection with enough memory: the standard library builds in 57 s, not 87 s, on 2 cores (Go 1.26). */
const COMPILER_GOGC = totalmem() >= 6 * 1024 ** 3 ? '400' : undefined

export interface GoResult {
  isOk: boolean
  stdout: string
  /** The last lines of stderr. */
  lines: string[]
}

/** Runs the installed Go in one folder. */
export interface Go {
  /** Calls `onLine` with stderr. @throws {VplaneError} `NOT_FOUND` without Go, or `ABORTED`. */
  run(args: readonly string[], onLine?: (line: string) => void): Promise<GoResult>
}

export interface GoOptions {
  folder: string
  cache: string
  environment: Environment
  platform: Platform
  isOffline: boolean
  signal: AbortSignal
}

/** The installed Go, with its own build cache and all other settings of the user. */
export function createGo(options: GoOptions): Go {
  const { folder, signal } = options
  const env = goEnvironment(options)
  return {
    run: async (args, onLine) => {
      throwIfAborted(signal)
      // Its own process group: the compilers and linkers must end with Go, and only vplane handles Ctrl-C.
      const running = execa('go', args, {
        cwd: folder,
        env,
        extendEnv: false,
        stdin: 'ignore',
        detached: true,
        reject: false,
        maxBuffer: 64 * 1024 * 1024,
        buffer: { stdout: true, stderr: false },
      })
      const lines: string[] = []
      const result = await whileStoppable(running.pid, signal, async () => {
        for await (const line of running.iterable({ from: 'stderr' })) {
          lines.splice(0, Math.max(0, lines.length - MAX_LINES + 1))
          lines.push(line)
          onLine?.(line)
        }
        return running
      })
      throwIfAborted(signal)
      if (hasErrorCode(result, 'ENOENT')) {
        throw new VplaneError('NOT_FOUND', 'Go is not installed', { cause: result })
      }
      return { isOk: !result.failed, stdout: result.stdout, lines }
    },
  }
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) {
    throw new VplaneError('ABORTED', 'interrupted while building; finished packages are cached', {
      hints: ['run the command again to continue'],
      cause: signal.reason,
    })
  }
}

/** Does `work`. Meanwhile the signal ends the process group with SIGTERM, then SIGKILL. */
async function whileStoppable<T>(
  pid: number | undefined,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  using cleanup = new DisposableStack()
  const signalGroup = (name: NodeJS.Signals) => {
    if (pid !== undefined) {
      sendSignal(-pid, name)
    }
  }
  const stop = () => {
    signalGroup('SIGTERM')
    const timer = setTimeout(() => signalGroup('SIGKILL'), KILL_AFTER_MS)
    cleanup.defer(() => clearTimeout(timer))
  }
  signal.addEventListener('abort', stop, { once: true })
  cleanup.defer(() => signal.removeEventListener('abort', stop))
  return await work()
}

/** Overrides what a build must not inherit. The user's GOPROXY, GOMODCACHE, GOTOOLCHAIN, … apply. */
function goEnvironment({ cache, environment, isOffline, platform }: GoOptions): Environment {
  return {
    GOGC: COMPILER_GOGC,
    ...environment,
    CGO_ENABLED: '0',
    GO111MODULE: 'on',
    GOARCH: platform.arch,
    GOCACHE: buildCacheFolder(cache),
    GOOS: platform.os,
    GOWORK: 'off',
    ...(isOffline ? OFFLINE : {}),
  }
}
