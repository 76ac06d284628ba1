import type { Environment } from '../../../shared/environment.ts'
import { formatGuardMessage, type ProtectedPlane } from './guard-message.ts'
import { type GuardProcess, removalProgram, startGuardProcess } from './guard-process.ts'

/** Removes planes when their owner dies, even by a kill; disposing removes those not released. */
export interface Guard extends AsyncDisposable {
  /**
   * Protects a plane from outliving this process. Call it before you create the plane with this process as its owner.
   * The guard does not touch a plane with another owner.
   *
   * @throws {VplaneError} `FAILED` when the guard cannot be started.
   */
  protect(root: string, name: string): Promise<void>
  release(root: string, name: string): Promise<void>
}

export interface GuardOptions {
  /** The command that the guard runs with its last message as input. @default the program that removes planes */
  program?: readonly string[]
  /** The variables of that command. @default only a PATH */
  environment?: Environment
}

/**
 * A guard for the planes of this process. While it has planes, it runs a small process that waits for the end of a pipe,
 * which the kernel closes when this process ends. That small process has its own session, which Ctrl-C does not reach.
 */
export function createGuard({ environment, program = removalProgram() }: GuardOptions = {}): Guard {
  const planes = new Map<string, ProtectedPlane>()
  let running: Promise<GuardProcess> | undefined

  const message = () =>
    formatGuardMessage({ ownerProcessId: process.pid, planes: [...planes.values()] })
  const notify = async () => {
    for (let triesLeft = 1; planes.size > 0; triesLeft -= 1) {
      const current = (running ??= startGuardProcess(program, environment))
      try {
        await (await current).write(message())
        return
      } catch (error) {
        // Someone may have killed it, which only a write shows.
        running = running === current ? undefined : running
        if (triesLeft === 0) {
          throw error
        }
      }
    }
  }
  const end = async () => {
    const ending = running
    const last = message()
    running = undefined
    planes.clear()
    await (await ending)?.end(last)
  }
  return {
    protect: async (root, name) => {
      planes.set(keyOf(root, name), { root, name })
      try {
        await notify()
      } catch (error) {
        planes.delete(keyOf(root, name))
        throw error
      }
    },
    release: async (root, name) => {
      if (planes.delete(keyOf(root, name))) {
        await (planes.size === 0 ? end() : notify())
      }
    },
    [Symbol.asyncDispose]: end,
  }
}

function keyOf(root: string, name: string): string {
  return JSON.stringify([root, name])
}
