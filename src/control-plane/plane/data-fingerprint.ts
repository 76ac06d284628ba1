import { hasFields } from '../../shared/stored-format.ts'

/** Identifies the data of a plane, so that two planes can be compared. */
export interface DataFingerprint {
  keys: number
  /** Hash of all keys and values, hexadecimal. */
  sha256: string
}

/** Whether a stored value is a fingerprint. */
export function isDataFingerprint(value: unknown): value is DataFingerprint {
  return hasFields(value, { keys: 'number', sha256: 'string' })
}

/** Whether two planes have the same data. */
export function isSameData(one: DataFingerprint, other: DataFingerprint): boolean {
  return one.keys === other.keys && one.sha256 === other.sha256
}
