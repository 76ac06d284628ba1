import { constants } from 'node:fs'
import { access, open, readlink, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { hasErrorCode, VplaneError } from '../../shared/errors.ts'
import { makeFolder } from '../../shared/files/make-folder.ts'
import { writeFile } from '../../shared/files/write-file.ts'
import { OTHER_FILE_HINTS } from '../text/top-level.ts'
import { readOnlyError, toFileError } from './file-error.ts'
import { lockFile } from './lock-file.ts'
import { inFile, readText } from './read-text.ts'

export interface EditOptions {
  signal?: AbortSignal | undefined
  /** How long to wait for another program that changes the file, in milliseconds. @default 10_000 */
  lockTimeoutMs?: number | undefined
}

/**
 * Changes one kubeconfig under client-go's lock, in one step: other programs read the old text or the new one. Symbolic
 * links, mode and owner stay; only its owner can read a new file. The file is removed if `edit` returns undefined.
 *
 * `edit` is called again when a program that does not take the lock changes the file at the same time.
 *
 * @throws {VplaneError} what `edit` throws, with the file's name; `FAILED` when the file cannot be read or written,
 *   `CONFLICT` when another program keeps it locked, `ABORTED` when the signal fires. The file is unchanged then.
 */
export async function editKubeconfigFile(
  path: string,
  edit: (text: string, isNewFile: boolean) => string | undefined,
  { lockTimeoutMs, signal }: EditOptions = {},
): Promise<void> {
  const target = await targetOf(path)
  makeFolder(dirname(path), OTHER_FILE_HINTS)
  await using locks = new AsyncDisposableStack()
  for (const file of new Set([resolve(path), target])) {
    locks.use(await lockFile(file, { signal, timeoutMs: lockTimeoutMs }))
  }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const text = await readText(target)
    const edited = inFile(path, () => edit(text ?? '', text === undefined))
    if (edited === text || (edited === '' && text === undefined)) {
      return
    }
    if (await replaceText(target, { text, edited })) {
      return
    }
  }
  throw new VplaneError('CONFLICT', `another program keeps changing "${path}"`, {
    hints: ['wait for it and run this again'],
  })
}

const MAX_ATTEMPTS = 10

/** Writes the new text, or removes the file, unless the file has changed since it was read, and returns whether it did. */
async function replaceText(
  path: string,
  { edited, text }: { edited: string | undefined; text: string | undefined },
): Promise<boolean> {
  try {
    const stats = text === undefined ? undefined : await stat(path)
    if (stats !== undefined) {
      await refuseReadOnly(path, stats.mode)
    }
    if ((await readText(path)) !== text) {
      return false
    }
    if (edited === undefined) {
      await rm(path)
    } else if (stats !== undefined && isForeign(stats.uid)) {
      await writeInPlace(path, edited)
    } else {
      await writeAtomically(path, edited, stats?.mode)
    }
    return true
  } catch (error) {
    throw error instanceof VplaneError ? error : toFileError(error, `cannot write "${path}"`)
  }
}

/**
 * Overwrites a file that cannot be replaced, as kubectl does. If that fails, it restores the old text; unlike a
 * replacement, this does not survive a loss of power.
 */
export async function writeInPlace(path: string, text: string): Promise<void> {
  await using file = await open(path, 'r+')
  const before = await file.readFile()
  const write = async (bytes: Buffer) => {
    for (let position = 0; position < bytes.length;) {
      const { bytesWritten } = await file.write(bytes, position, bytes.length - position, position)
      position += bytesWritten
    }
    await file.truncate(bytes.length)
    await file.sync()
  }
  try {
    await write(Buffer.from(text))
  } catch (error) {
    await write(before)
    throw error
  }
}

async function writeAtomically(path: string, text: string, mode = 0o600): Promise<void> {
  try {
    await writeFile(path, text, { mode: mode & 0o7777 })
  } catch (error) {
    // A file that is mounted into a container can be overwritten, but not replaced.
    if (!hasErrorCode(error, 'EBUSY')) {
      throw error
    }
    await writeInPlace(path, text)
  }
}

/** Whether a replacement would change the owner: only root can create a file for another user. */
function isForeign(owner: number): boolean {
  const user = process.getuid?.()
  return user !== undefined && user !== 0 && user !== owner
}

/** Replacing a file requires no permission to write it, and root needs no permission: this protects read-only files. */
async function refuseReadOnly(path: string, mode: number): Promise<void> {
  const isWritable = await access(path, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!isWritable || (mode & 0o222) === 0) {
    throw readOnlyError(path)
  }
}

/** The errors of readlink for a file that is not a link (Windows has its own error) or does not exist. */
const NO_LINK = ['EINVAL', 'UNKNOWN', 'ENOENT']

/** The file behind symbolic links, even if it does not exist yet. */
async function targetOf(path: string): Promise<string> {
  let target = resolve(path)
  for (let depth = 0; depth < 40; depth += 1) {
    try {
      target = resolve(dirname(target), await readlink(target))
    } catch (error) {
      if (NO_LINK.some((code) => hasErrorCode(error, code))) {
        return target
      }
      throw toFileError(error, `cannot read "${path}"`)
    }
  }
  throw toFileError('its symbolic links lead in a circle', `cannot read "${path}"`)
}
