import { closeSync, openSync, statSync, unlinkSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hasErrorCode, messageOf, VplaneError } from '../errors.ts'
import { makeFolder } from './make-folder.ts'
import { waitFor } from '../wait.ts'

export interface FileLockOptions {
  /** What the lock guards, as it reads after "waiting for": `another vplane that changes "dev"`. */
  what: string
  /** How long to wait for the present holder, in milliseconds; 0 tries once. */
  timeoutMs: number
  /** Time between two tries, in milliseconds. @default 40 */
  intervalMs?: number
  signal?: AbortSignal
  /** Called once when somebody else holds the lock and waiting begins. @default nothing */
  onWait?: () => void
}

const BUSY = 5

/**
 * Holds `path` as a lock, among all processes of this machine and all callers in this one, until it is disposed.
 *
 * The operating system lets go of the lock when its holder dies, however it dies; so there are no stale locks and nobody
 * has to judge whether a holder lives. (Node.js offers no file locks; SQLite's exclusive transaction is one.) The
 * file exists while the lock is held, is empty, and means nothing by being there. Nothing else may open it: closing any
 * handle of a file drops the process's POSIX locks on it.
 *
 * @throws {VplaneError} `TIMED_OUT` when it is held for longer than `timeoutMs`, `ABORTED` when the signal fires,
 * `FAILED` when the file cannot be made.
 */
export async function acquireFileLock(
  path: string,
  options: FileLockOptions,
): Promise<AsyncDisposable> {
  let isWaiting = false
  const { onWait, ...waiting } = options
  return waitFor(
    () => {
      const held = tryFileLock(path)
      if (held === undefined && !isWaiting) {
        isWaiting = true
        onWait?.()
      }
      return Promise.resolve(held)
    },
    { intervalMs: 40, ...waiting },
  )
}

/**
 * The same without waiting.
 *
 * @returns undefined when somebody else holds it.
 * @throws {VplaneError} `FAILED` when the file cannot be made.
 */
export function tryFileLock(path: string): AsyncDisposable | undefined {
  const file = resolve(path)
  for (;;) {
    const before = identityOf(file)
    const database = open(file)
    const isLocked = lock(database, file)
    // The holder before us removed the file while it held the lock: a lock on a file that is no longer at its path
    // keeps nobody out. A file that was not there before opening may be another one than the one we opened.
    if (isLocked === true && before !== undefined && before === identityOf(file)) {
      return heldLock(database, file, before)
    }
    database.close()
    if (isLocked === false) {
      return undefined
    }
    if (isLocked instanceof Error && before !== undefined && before === identityOf(file)) {
      throw cannotLock(file, isLocked)
    }
  }
}

/** Inode numbers are reused at once; with the time of birth they are not. */
function identityOf(file: string): string | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}:${stat.birthtimeNs}`
}

function open(file: string): DatabaseSync {
  try {
    makeFolder(dirname(file))
    if (identityOf(file) === undefined) {
      makePrivate(file)
    }
    return new DatabaseSync(file)
  } catch (error) {
    throw cannotLock(file, error)
  }
}

/** SQLite would make the file as well, but for everybody to read, and never says why it cannot. */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST')) {
      throw error
    }
  }
}

/** True when locked, false when somebody else holds it, the error otherwise. */
function lock(database: DatabaseSync, file: string): boolean | Error {
  try {
    // With a journal in a file, a lock could not be had on a full disk: not even to delete what fills it.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (error instanceof Error && 'errcode' in error) {
      return error.errcode === BUSY ? false : error
    }
    throw cannotLock(file, error)
  }
}

function heldLock(database: DatabaseSync, file: string, identity: string): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: () => {
      if (database.isOpen) {
        removeOwn(file, identity)
        database.close()
      }
      return Promise.resolve()
    },
  }
}

/** Removes the lock's file, unless its folder was replaced meanwhile and the file there is somebody else's. */
function removeOwn(file: string, identity: string): void {
  try {
    if (identityOf(file) === identity) {
      unlinkSync(file)
    }
  } catch {
    // It stays where an open file cannot be removed (Windows): a lock's file means nothing by being there.
  }
}

function cannotLock(file: string, cause: unknown): VplaneError {
  return new VplaneError('FAILED', `cannot lock "${file}": ${messageOf(cause)}`, {
    hints: [
      hasErrorCode(cause, 'ENOSPC')
        ? 'free some disk space and run the command again'
        : `ls -ld ${dirname(file)}`,
    ],
    cause,
  })
}
