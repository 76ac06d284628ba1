import { readFile } from 'node:fs/promises'
import { hasErrorCode, VplaneError } from '../../shared/errors.ts'
import { toFileError } from './file-error.ts'

/**
 * The text of a file with every byte of it; undefined when the file does not exist.
 * @throws {VplaneError} `FAILED` when it cannot be read, `INVALID_SPEC` when it is not UTF-8.
 */
export async function readText(path: string): Promise<string | undefined> {
  const bytes = await readBytes(path)
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    // Other bytes would be written back as replacement characters.
    throw new VplaneError('INVALID_SPEC', `cannot read "${path}": it is not UTF-8`, {
      hints: ['convert the file to UTF-8'],
      cause: error,
    })
  }
}

/** Returns what `read` returns, and adds the file's name to its errors. */
export function inFile<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof VplaneError)) {
      throw error
    }
    throw new VplaneError(error.code, `kubeconfig "${path}": ${error.message}`, {
      hints: [...error.hints],
      cause: error,
    })
  }
}

async function readBytes(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) {
      return undefined
    }
    throw toFileError(error, `cannot read "${path}"`)
  }
}
