import { randomBytes } from 'node:crypto'
import {
  ENCRYPTION_FILE,
  encryptionConfiguration,
  type EncryptionKey,
  encryptionKey,
  encryptionKeyNumber,
  encryptionKeysOf,
} from '../../control-plane/components/encryption-configuration.ts'
import type { RotationStage } from '../../control-plane/rotation/rotation.ts'
import type { PkiFiles } from '../plane/certificate-expiry.ts'
import { neededFile } from './pki-files.ts'

/** The stage that the rotation of the key of Secrets has come to; undefined while none is under way. */
export function encryptionKeyStage(files: PkiFiles): 'prepare' | 'switch' | undefined {
  const [first, ...others] = files[ENCRYPTION_FILE] === undefined ? [] : keysIn(files)
  if (first === undefined || others.length === 0) {
    return undefined
  }
  return first === newestOf([first, ...others]) ? 'switch' : 'prepare'
}

/**
 * The files of a plane after a stage: first Secrets can be read with a new key too, then they are written with it, at
 * last all others are forgotten, which must not be before all are written anew.
 *
 * @throws {VplaneError} `FAILED` when the key of the plane is gone or damaged.
 */
export const ENCRYPTION_KEY_STAGES: Record<RotationStage, (files: PkiFiles) => PkiFiles> = {
  prepare: (files) => {
    const keys = keysIn(files)
    const newest = newestOf(keys)
    const { provider } = newest
    const next = encryptionKey(randomBytes(32), {
      number: encryptionKeyNumber(newest) + 1,
      provider,
    })
    // There may be Secrets of any of them.
    return withKeys(files, [...keys, next])
  },
  switch: (files) => {
    const keys = keysIn(files)
    const newest = newestOf(keys)
    return withKeys(files, [newest, ...keys.filter((one) => one !== newest)])
  },
  complete: (files) => withKeys(files, keysIn(files).slice(0, 1)),
}

function newestOf([first, ...others]: [EncryptionKey, ...EncryptionKey[]]): EncryptionKey {
  return others.reduce(
    (newest, one) => (encryptionKeyNumber(one) > encryptionKeyNumber(newest) ? one : newest),
    first,
  )
}

function keysIn(files: PkiFiles): [EncryptionKey, ...EncryptionKey[]] {
  return encryptionKeysOf(neededFile(files, ENCRYPTION_FILE))
}

function withKeys(files: PkiFiles, keys: readonly EncryptionKey[]): PkiFiles {
  return { ...files, [ENCRYPTION_FILE]: encryptionConfiguration(keys) }
}
