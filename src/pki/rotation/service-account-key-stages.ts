import { createPublicKey } from 'node:crypto'
import type { RotationStage } from '../../control-plane/rotation/rotation.ts'
import type { PkiFiles } from '../plane/certificate-expiry.ts'
import { createServiceAccountKeys } from '../plane/service-account-keys.ts'
import { neededFile, without } from './pki-files.ts'

const PUBLIC_KEY = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----\n?/g

/** The last completed stage of the rotation of the keys of ServiceAccount tokens; undefined without a rotation. */
export function serviceAccountKeyStage(files: PkiFiles): 'prepare' | 'switch' | undefined {
  if (files['next/sa.key'] !== undefined) {
    return 'prepare'
  }
  return publicKeys(files).length > 1 ? 'switch' : undefined
}

/**
 * The files of a plane after each stage: first both keys verify tokens and the old one signs, then the new one signs,
 * and at last only the new one verifies.
 *
 * @throws {VplaneError} `FAILED` when keys of the plane are missing.
 */
export const SERVICE_ACCOUNT_KEY_STAGES: Record<
  RotationStage,
  (files: PkiFiles) => PkiFiles | Promise<PkiFiles>
> = {
  prepare: async (files) => {
    const next = await createServiceAccountKeys()
    const all = [...publicKeys(files), next['sa.pub']].join('')
    return { ...files, 'next/sa.key': next['sa.key'], 'sa.pub': all }
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
