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

/** The last completed stage of the rotation of the key of Secrets; undefined without a rotation. */
export function encryptionKeyStage(files: PkiFiles): 'prepare' | 'switch' | undefined {
  const [first, ...others] = files[ENCRYPTION_FILE] === undefined ? [] : keysIn(files)
  if (first === undefined || others.length === 0) {
    return undefined
  }
  return first === newestOf([first, ...others]) ? 'switch' : 'prepare'
}

/**
 * The files of a plane after each stage: first Secrets can also be read with a new key, then they are written with it,
 * and at last all other keys are removed, which is only allowed after all Secrets were written again.
 *
 * @throws {VplaneError} `FAILED` when the key of the plane is missing or damaged.
 */
export const ENCRYPTION_KEY_STAGES: Record<RotationStage, (files: PkiFiles) => PkiFiles> = {
  prepare: (files) => {
    const keys = keysIn(files)
    const newest = newestOf(keys)
    const number = encryptionKeyNumber(newest) + 1
    const next = encryptionKey(randomBytes(32), { number, provider: newest.provider })
    // Each of the keys may have encrypted Secrets.
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
