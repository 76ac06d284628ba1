import { randomUUID } from 'node:crypto'
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { hasErrorCode, VplaneError } from '../../shared/errors.ts'
import { isProcessAlive } from '../../shared/processes/is-process-alive.ts'
import { waitFor } from '../../shared/wait.ts'
import { toFileError } from './file-error.ts'
import { shellWord } from '../../shared/text/shell-word.ts'

export interface LockOptions {
  signal?: AbortSignal | undefined
  /** How long to wait for somebody else, in milliseconds. @default 10_000 */
  timeoutMs?: number
}

/**
 * Keeps others from changing a file until it is disposed of, by client-go's protocol: whoever creates `<file>.lock`
 * has the lock, whoever removes it gives it back.
 *
 * A lock that a vplane left when it was killed is taken over; those of others are left alone, since an empty file does
 * not say whose it is.
 *
 * @throws {VplaneError} `CONFLICT` when somebody else keeps the lock, `FAILED` when it cannot be created, `ABORTED`
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
      ...(signal !== undefined && { signal }),
    })
  } catch (error) {
    throw error instanceof VplaneError && error.code === 'TIMED_OUT' ? locked(path, lock) : error
  }
  return { [Symbol.asyncDispose]: () => rm(lock, { force: true }) }
}

/** A vplane holds a lock for milliseconds; one that is as old as this and whose process is gone was left behind. */
const STALE_AFTER_MS = 2000

async function tryLock(lock: string, path: string): Promise<boolean> {
  try {
    await using file = await open(lock, 'wx', 0o600)
    // On a full disk the lock stays empty, as client-go's always is.
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
    // It went meanwhile, or is somebody else's and not to be read: the next look tells.
  }
}

/** Two that find the same stale lock must not remove the new lock of each other: only a rename tells what was taken. */
async function removeExactly(lock: string, mark: string): Promise<void> {
  const taken = `${lock}.${randomUUID()}`
  await rename(lock, taken)
  if ((await readFile(taken, 'utf8')) !== mark) {
    // If somebody has locked it since, that lock holds.
    await link(taken, lock).catch(() => {})
  }
  await rm(taken)
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
      `if none is running, the lock was left behind: rm ${shellWord(lock)}`,
    ],
  })
}
