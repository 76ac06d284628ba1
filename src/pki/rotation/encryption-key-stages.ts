import { randomBytes } from 'node:crypto'
import {
  ENCRYPTION_FILE,
  encryptionConfiguration,
  type EncryptionKey,
  encryptionKey,
  encryptionKeyNumber,
  encryptionKeysOf,
} from '../../control-plane/components/encryption-configuration.ts'
import type { RotationStage } from '../../control-plane/rotation.ts'
import type { PkiFiles } from '../certificate-expiry.ts'
import { neededFile } from './pki-files.ts'

/** The stage that the rotation of the key of Secrets has come to; undefined while none is under way. */
export function encryptionKeyStage(files: PkiFiles): 'prepare' | 'switch' | undefined {
  const [first, second] = files[ENCRYPTION_FILE] === undefined ? [] : keysIn(files)
  if (first === undefined || second === undefined) {
    return undefined
  }
  return encryptionKeyNumber(first) < encryptionKeyNumber(second) ? 'prepare' : 'switch'
}

/**
 * The files of a plane after a stage: first Secrets can be read with the new key too, then they are written with it, at
 * last the old one is forgotten, which must not be before all are written anew.
 *
 * @throws {VplaneError} `FAILED` when the key of the plane is gone or damaged.
 */
export const ENCRYPTION_KEY_STAGES: Record<RotationStage, (files: PkiFiles) => PkiFiles> = {
  prepare: (files) => {
    const [present] = keysIn(files)
    const { provider } = present
    const number = encryptionKeyNumber(present) + 1
    const next = encryptionKey(randomBytes(32), { number, provider })
    return withKeys(files, [present, next])
  },
  switch: (files) => withKeys(files, keysIn(files).toReversed()),
  complete: (files) => withKeys(files, keysIn(files).slice(0, 1)),
}

function keysIn(files: PkiFiles): [EncryptionKey, ...EncryptionKey[]] {
  return encryptionKeysOf(neededFile(files, ENCRYPTION_FILE))
}

function withKeys(files: PkiFiles, keys: readonly EncryptionKey[]): PkiFiles {
  return { ...files, [ENCRYPTION_FILE]: encryptionConfiguration(keys) }
}
