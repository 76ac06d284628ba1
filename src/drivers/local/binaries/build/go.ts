import { totalmem } from 'node:os'
import { execa } from 'execa'
import type { Environment } from '../../../../shared/environment.ts'
import { hasErrorCode, VplaneError } from '../../../../shared/errors.ts'
import { buildCacheFolder } from '../cache/cache-layout.ts'
import type { Platform } from '../cache/platform.ts'
import { sendSignal } from '../../../../shared/processes/send-signal.ts'

const KEPT_LINES = 30
const KILL_AFTER_MS = 5000

/** Modules in the cache were verified when they came; to ask the checksum database again takes the network. */
const OFFLINE = { GOPROXY: 'off', GONOPROXY: 'none', GOSUMDB: 'off' }

/**
 * The compilers collect their garbage less often where there is the memory for it: a build of Go's standard library on
 * two cores takes 57 s so, and 87 s otherwise (Go 1.26).
 */
const COMPILER_GOGC = totalmem() >= 6 * 1024 ** 3 ? '400' : undefined

/** How a run of Go ended. */
export interface GoResult {
  isOk: boolean
  stdout: string
  /** The last lines of stderr. */
  lines: string[]
}

/** Runs the installed Go in one folder. */
export interface Go {
  /**
   * Calls `onLine` with every line of stderr.
   *
   * @throws {VplaneError} `NOT_FOUND` when no Go is installed, `ABORTED` when the signal fires.
   */
  run(args: readonly string[], onLine?: (line: string) => void): Promise<GoResult>
}

export interface GoSurroundings {
  folder: string
  /** vplane's cache folder. */
  cache: string
  environment: Environment
  platform: Platform
  isOffline: boolean
  signal: AbortSignal
}

/** The installed Go, with a build cache of our own and all other settings of the user's. */
export function createGo(surroundings: GoSurroundings): Go {
  const { folder, signal } = surroundings
  const env = goEnvironment(surroundings)
  return {
    run: async (args, onLine) => {
      throwIfAborted(signal)
      // A group of its own: Go's compilers and linkers must end with it, and a Ctrl-C is handled once, by us.
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
          lines.splice(0, Math.max(0, lines.length - KEPT_LINES + 1))
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
    throw new VplaneError('ABORTED', 'interrupted while building; what is done is kept', {
      hints: ['run it again to go on'],
      cause: signal.reason,
    })
  }
}

/** Does `work`; meanwhile the signal ends the process group, first by asking. */
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

/** What a build must not inherit is set; what is the user's choice (GOPROXY, GOMODCACHE, GOTOOLCHAIN, …) stays. */
function goEnvironment(surroundings: GoSurroundings): Environment {
  const { cache, environment, isOffline, platform } = surroundings
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
