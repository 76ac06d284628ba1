import { createPublicKey } from 'node:crypto'
import type { RotationStage } from '../../control-plane/rotation/rotation.ts'
import type { PkiFiles } from '../plane/certificate-expiry.ts'
import { createServiceAccountKeys } from '../plane/service-account-keys.ts'
import { neededFile, without } from './pki-files.ts'

const PUBLIC_KEY = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----\n?/g

/** The stage that the rotation of the keys of ServiceAccount tokens has come to; undefined while none is under way. */
export function serviceAccountKeyStage(files: PkiFiles): 'prepare' | 'switch' | undefined {
  if (files['next/sa.key'] !== undefined) {
    return 'prepare'
  }
  return publicKeys(files).length > 1 ? 'switch' : undefined
}

/**
 * The files of a plane after a stage: first both keys verify tokens and the old one signs, then the new one signs, at
 * last the new one alone verifies.
 *
 * @throws {VplaneError} `FAILED` when keys of the plane are gone.
 */
export const SERVICE_ACCOUNT_KEY_STAGES: Record<
  RotationStage,
  (files: PkiFiles) => PkiFiles | Promise<PkiFiles>
> = {
  prepare: async (files) => {
    const made = await createServiceAccountKeys()
    const all = [...publicKeys(files), made['sa.pub']].join('')
    return { ...files, 'next/sa.key': made['sa.key'], 'sa.pub': all }
  },
  switch: (files) => {
    const key = neededFile(files, 'next/sa.key')
    const others = publicKeys(files).filter((one) => one !== publicKeyOf(key))
    const all = [publicKeyOf(key), ...others].join('')
    return { ...without(files, ['next/sa.key']), 'sa.key': key, 'sa.pub': all }
  },
  complete: (files) => ({ ...files, 'sa.pub': publicKeyOf(neededFile(files, 'sa.key')) }),
}

function publicKeys(files: PkiFiles): string[] {
  return (files['sa.pub'] ?? '').match(PUBLIC_KEY) ?? []
}

function publicKeyOf(key: string): string {
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
}
