import { randomUUID } from 'node:crypto'
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { hasErrorCode, isVplaneError, VplaneError } from '../../shared/errors.ts'
import { isProcessAlive } from '../../shared/processes/send-signal.ts'
import { waitFor } from '../../shared/wait.ts'
import { toFileError } from './file-error.ts'
import { shellWord } from '../../shared/text/shell-word.ts'

export interface LockOptions {
  signal?: AbortSignal | undefined
  /** How long to wait for another program, in milliseconds. @default 10_000 */
  timeoutMs?: number | undefined
}

/**
 * Locks a file until the lock is disposed of, by client-go's protocol: the program that creates `<file>.lock` has the
 * lock, and removes the file to release it.
 *
 * vplane removes a lock that a killed vplane left. It does not remove locks of other programs, because an empty file
 * does not name its owner.
 *
 * @throws {VplaneError} `CONFLICT` when another program keeps the lock, `FAILED` when it cannot be created, `ABORTED`
 *   when the signal fires.
 */
export async function lockFile(
  path: string,
  { signal, timeoutMs = 10_000 }: LockOptions = {},
): Promise<AsyncDisposable> {
  const lock = `${path}.lock`
  try {
    await waitFor(async () => tryLock(lock, path), {
      what: `the lock of "${path}"`,
      timeoutMs,
      intervalMs: 20,
      signal,
    })
  } catch (error) {
    throw isVplaneError(error, 'TIMED_OUT') ? locked(path, lock) : error
  }
  return { [Symbol.asyncDispose]: () => rm(lock, { force: true }) }
}

/** vplane holds a lock for milliseconds: an older one was left behind if its process no longer runs. */
const STALE_AFTER_MS = 2000

async function tryLock(lock: string, path: string): Promise<boolean> {
  try {
    await using file = await open(lock, 'wx', 0o600)
    // On a full disk the lock stays empty, as client-go's locks always are.
    await file.writeFile(ownMark()).catch(() => {})
    return true
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) {
      await removeIfStale(lock)
      return false
    }
    throw toFileError(error, `cannot lock "${path}"`)
  }
}

async function removeIfStale(lock: string): Promise<void> {
  try {
    const mark = await readFile(lock, 'utf8')
    const { mtimeMs } = await stat(lock)
    if (Date.now() - mtimeMs > STALE_AFTER_MS && isLeftBehind(mark)) {
      await removeExactly(lock, mark)
    }
  } catch {
    // It was removed in the meantime, or belongs to another user: the next attempt finds out.
  }
}

/** Two processes that find the same stale lock must not remove each other's new one: a rename shows what it took. */
async function removeExactly(lock: string, mark: string): Promise<void> {
  const renamed = `${lock}.${randomUUID()}`
  await rename(lock, renamed)
  if ((await readFile(renamed, 'utf8')) !== mark) {
    // If another process has locked the file since, its lock stays.
    await link(renamed, lock).catch(() => {})
  }
  await rm(renamed)
}

function ownMark(): string {
  return `vplane ${process.pid} ${hostname()}\n`
}

function isLeftBehind(mark: string): boolean {
  const [, pid, host] = /^vplane (\d+) (.*)\n$/.exec(mark) ?? []
  return pid !== undefined && host === hostname() && !isProcessAlive(Number(pid))
}

function locked(path: string, lock: string): VplaneError {
  return new VplaneError('CONFLICT', `another program keeps "${path}" locked by "${lock}"`, {
    hints: [
      'wait for it and run this again',
      `if no such program runs, remove the lock: rm ${shellWord(lock)}`,
    ],
  })
}
