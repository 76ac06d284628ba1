import { closeSync, openSync, statSync, unlinkSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hasErrorCode, reasonOf, VplaneError } from '../errors.ts'
import type { Hint } from '../hint.ts'
import { makeFolder } from './make-folder.ts'
import { waitFor } from '../wait.ts'

interface FileLockOptions {
  /** The holder, which errors name after "waiting for": `another vplane that changes "dev"`. */
  what: string
  /** How long to wait for the current holder, in milliseconds; 0 tries once. */
  timeoutMs: number
  /** Time between two attempts, in milliseconds. @default 40 */
  intervalMs?: number
  signal?: AbortSignal
  onWait?: () => void
  /** The hints of the time-out. */
  hints?: readonly Hint[]
}

const BUSY = 5

/**
 * Holds `path` as a lock, among all processes of this machine and all callers in this one, until it is disposed of.
 *
 * The operating system releases the lock when its holder dies for any reason, so there are no stale locks. (Node.js has
 * no file locks; SQLite's exclusive transaction is one.) The file exists while the lock is held and is empty; that it
 * exists means nothing. Nothing else may open it: closing any handle of a file releases the process's POSIX locks.
 *
 * @throws {VplaneError} `TIMED_OUT` when it is held for longer than `timeoutMs`, `ABORTED` when the signal fires,
 *   `FAILED` when the file cannot be created.
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

/** The lock; undefined when another holder has it. @throws {VplaneError} `FAILED` when the file cannot be created. */
export function tryFileLock(path: string): AsyncDisposable | undefined {
  const file = resolve(path)
  for (;;) {
    const before = identityOf(file)
    const database = open(file)
    const isLocked = lock(database, file)
    // The previous holder may have removed the file while it held the lock, and a lock on a file that is no longer at
    // its path excludes nothing. If the file did not exist before, the opened one may be another file.
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

/** Identifies a file by its inode and its time of creation, because inode numbers are reused at once. */
function identityOf(file: string): string | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}:${stat.birthtimeNs}`
}

function open(file: string): DatabaseSync {
  makeFolder(dirname(file))
  try {
    if (identityOf(file) === undefined) {
      makePrivate(file)
    }
    return new DatabaseSync(file)
  } catch (error) {
    throw cannotLock(file, error)
  }
}

/** Creates the file: SQLite would make it readable by everyone, and does not report why it cannot create it. */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST')) {
      throw error
    }
  }
}

/** Returns true when the file is locked, false when another holder has the lock, and otherwise the error. */
function lock(database: DatabaseSync, file: string): boolean | Error {
  try {
    // With a journal in a file, locking would fail on a full disk, even for a command that frees space.
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

/** Removes the lock's file, unless its folder was replaced in the meantime and has the file of another holder. */
function removeOwn(file: string, identity: string): void {
  try {
    if (identityOf(file) === identity) {
      unlinkSync(file)
    }
  } catch {
    // An open file cannot be removed on Windows. It stays, which means nothing.
  }
}

function cannotLock(file: string, cause: unknown): VplaneError {
  const message = `cannot lock "${file}": ${reasonOf(cause)}`
  const hint = hasErrorCode(cause, 'ENOSPC')
    ? 'free some disk space and run the command again'
    : `ls -ld ${dirname(file)}`
  return new VplaneError('FAILED', message, { hints: [hint], cause })
}
