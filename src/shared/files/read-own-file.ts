import { readFile, stat } from 'node:fs/promises'
import { unlessErrorCode, VplaneError } from '../errors.ts'

/** Reads a file that a user names; `what` it is, for errors. @throws {VplaneError} `FAILED` if that is not possible. */
export async function readOwnFile(path: string, what: string): Promise<string> {
  const codes = ['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR']
  const text = await unlessErrorCode(codes, readFile(path, 'utf8'))
  if (text === undefined) {
    throw new VplaneError('FAILED', `cannot read ${what}: ${path}`, {
      hints: ['create this file, or allow your user to read it'],
    })
  }
  return text
}

/** The same of a secret. @throws {VplaneError} `FAILED`, also if other users of the machine can read it. */
export async function readOwnSecret(path: string, what: string): Promise<string> {
  const text = await readOwnFile(path, what)
  if (((await stat(path)).mode & 0o077) !== 0) {
    throw new VplaneError('FAILED', `other users of this machine can read ${path}`, {
      hints: [`chmod 600 ${path}`],
    })
  }
  return text
}
