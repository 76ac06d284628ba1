import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { join } from 'node:path'
import type { Environment } from '../../../shared/environment.ts'
import { messageOf, VplaneError } from '../../../shared/errors.ts'
import { packageRoot } from '../../../shared/package-root.ts'

/**
 * Stores the last complete line of its input. When the input ends, it passes that line to the program in its arguments.
 * A waiting shell takes a few hundred KiB, a waiting Node.js 30 MiB or more. Signals for the owner (a closed terminal,
 * a service that stops) may reach the guard too: it prints an empty line once it ignores them.
 */
const SCRIPT = `trap '' HUP INT TERM
echo
exec >/dev/null
planes=
while IFS= read -r line; do planes=$line; done
if [ -n "$planes" ]; then printf '%s\\n' "$planes" | "$@"; fi`

export interface GuardProcess {
  processId: number
  /** Sends a line. @throws {VplaneError} `FAILED` when the guard has ended. */
  write(line: string): Promise<void>
  /** Sends the last line, closes the guard's input as the owner's death would, and returns when the guard has ended. */
  end(line: string): Promise<void>
}

/** The command that removes an owner's planes, from a checkout or from the package. */
export function removalProgram(module: string = import.meta.url): string[] {
  const script = module.endsWith('.ts')
    ? 'src/drivers/local/guard/remove-protected-main.ts'
    : 'dist/drivers/local/guard/remove-protected-main.js'
  return [process.execPath, join(packageRoot(), script)]
}

/**
 * Starts a guard in its own session, connected to the owner by a pipe. Neither the guard nor the pipe keeps the owner
 * running. The guard runs `program` with its last line as input when the pipe is closed.
 *
 * @throws {VplaneError} `FAILED` when it cannot be started.
 */
export async function startGuardProcess(
  program: readonly string[],
  environment: Environment = { PATH: '/usr/bin:/bin' },
): Promise<GuardProcess> {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'vplane-guard', ...program], {
    detached: true,
    cwd: '/',
    env: environment,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  try {
    await once(child, 'spawn')
    await once(child.stdout, 'readable')
    if (child.stdout.read() === null) {
      throw new Error('it has ended at once')
    }
  } catch (error) {
    throw guardError('cannot be started', error)
  } finally {
    child.stdout.destroy()
  }
  const { promise: ended, resolve: onExit } = Promise.withResolvers<void>()
  child.once('exit', () => onExit())
  // The next write reports a guard that was killed.
  child.stdin.on('error', () => {})
  child.unref()
  if (child.stdin instanceof Socket) {
    child.stdin.unref()
  }
  return {
    processId: child.pid ?? 0,
    write: (line) =>
      new Promise((resolve, reject) => {
        child.stdin.write(line, (error) => (error ? reject(guardError('ended', error)) : resolve()))
      }),
    end: async (line) => {
      if (child.exitCode === null && child.signalCode === null) {
        child.ref()
        child.stdin.end(line)
        await ended
      }
    },
  }
}

function guardError(what: string, cause: unknown): VplaneError {
  const message = `the guard that removes planes with this process ${what}: ${messageOf(cause)}`
  return new VplaneError('FAILED', message, { hints: ['ls -l /bin/sh', 'ulimit -u'], cause })
}
