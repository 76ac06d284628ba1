import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'
import type { Environment } from '../../../shared/environment.ts'
import { messageOf, VplaneError } from '../../../shared/errors.ts'
import { guardArguments } from './guard-command.ts'

/** A running guard, seen from its owner. */
export interface GuardProcess {
  processId: number
  /**
   * Sends a line.
   *
   * @throws {VplaneError} `FAILED` when the guard is gone.
   */
  write(line: string): Promise<void>
  /** Sends a last line, ends the guard's input as the owner's death would, and returns when the guard has finished. */
  end(line: string): Promise<void>
}

/**
 * Starts a guard in a session of its own, with nothing of the owner's but the pipe. Neither the guard nor the pipe
 * keeps the owner running.
 *
 * @throws {VplaneError} `FAILED` when it cannot be started.
 */
export async function startGuardProcess(
  program: readonly string[],
  environment: Environment = { PATH: '/usr/bin:/bin' },
): Promise<GuardProcess> {
  const child = spawn('/bin/sh', guardArguments(program), {
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
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  // A guard that was killed is found out by the result of the next write.
  child.stdin.on('error', () => {})
  child.unref()
  if (child.stdin instanceof Socket) {
    child.stdin.unref()
  }
  return {
    processId: child.pid ?? 0,
    write: (line) =>
      new Promise((resolve, reject) => {
        child.stdin.write(line, (error) => {
          if (error === undefined || error === null) {
            resolve()
          } else {
            reject(guardError('ended', error))
          }
        })
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
  return new VplaneError(
    'FAILED',
    `the guard that removes planes with this process ${what}: ${messageOf(cause)}`,
    { hints: ['ls -l /bin/sh', 'ulimit -u'], cause },
  )
}
