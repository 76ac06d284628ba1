import type { Environment } from '../../../shared/environment.ts'
import { removalProgram } from './guard-command.ts'
import { formatGuardMessage, type ProtectedPlane } from './guard-message.ts'
import { type GuardProcess, startGuardProcess } from './guard-process.ts'

/** Sees to it that planes go when the process that owns them does, however it dies. */
export interface Guard extends AsyncDisposable {
  /**
   * Protects a plane from outliving this process. Call it before the plane is made, and make the plane with this
   * process as its owner: a plane that does not say so is not touched.
   *
   * @throws {VplaneError} `FAILED` when the guard cannot be started.
   */
  protect(root: string, name: string): Promise<void>
  /** Lets go of a plane that has been removed. */
  release(root: string, name: string): Promise<void>
  /** Ends the guard, which removes what was not released, and returns when it has. */
  [Symbol.asyncDispose](): Promise<void>
}

export interface GuardOptions {
  /** What the guard runs, with its last message as input. @default the program that removes planes */
  program?: readonly string[]
  /** The variables of that program. @default no more than a PATH */
  environment?: Environment
}

/**
 * A guard for the planes of this process.
 *
 * With the first plane it starts a small process that waits for the end of a pipe from here, which the kernel closes
 * whatever happens to this process. It lives in a session of its own, where no Ctrl-C reaches it, ends with the last
 * plane, and does not keep this process from ending.
 */
export function createGuard({ environment, program = removalProgram() }: GuardOptions = {}): Guard {
  const planes = new Map<string, ProtectedPlane>()
  let running: Promise<GuardProcess> | undefined

  const message = () =>
    formatGuardMessage({ ownerProcessId: process.pid, planes: [...planes.values()] })
  const tell = async () => {
    for (let triesLeft = 1; planes.size > 0; triesLeft -= 1) {
      const current = (running ??= startGuardProcess(program, environment))
      try {
        await (await current).write(message())
        return
      } catch (error) {
        // Somebody may have killed it, which shows only now.
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
        await tell()
      } catch (error) {
        planes.delete(keyOf(root, name))
        throw error
      }
    },
    release: async (root, name) => {
      if (planes.delete(keyOf(root, name))) {
        await (planes.size === 0 ? end() : tell())
      }
    },
    [Symbol.asyncDispose]: end,
  }
}

function keyOf(root: string, name: string): string {
  return JSON.stringify([root, name])
}
