import { VplaneError } from '../../shared/errors.ts'
import type { PkiFiles } from '../plane/certificate-expiry.ts'

/** The files without some of them. */
export function without(files: PkiFiles, names: readonly string[]): PkiFiles {
  return Object.fromEntries(Object.entries(files).filter(([name]) => !names.includes(name)))
}

/** The text of a required file. @throws {VplaneError} `FAILED` when it is missing. */
export function neededFile(files: PkiFiles, name: string): string {
  const text = files[name]
  if (text === undefined) {
    throw new VplaneError('FAILED', `"${name}" is missing among the keys of the plane`)
  }
  return text
}
