import { hasFields } from '../../shared/stored-format.ts'

/** What tells the data of two planes apart. */
export interface DataFingerprint {
  /** How many keys there are. */
  keys: number
  /** Of all keys and their values, hexadecimal. */
  sha256: string
}

/** Tells a stored fingerprint from anything else. */
export function isDataFingerprint(value: unknown): value is DataFingerprint {
  return hasFields(value, { keys: 'number', sha256: 'string' })
}

/** Tells whether two planes hold the same. */
export function isSameData(one: DataFingerprint, other: DataFingerprint): boolean {
  return one.keys === other.keys && one.sha256 === other.sha256
}
