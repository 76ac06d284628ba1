import { ENCRYPTION_FILE } from '../../control-plane/components/encryption-configuration.ts'

/**
 * The files that a plane keeps when it is created elsewhere: the CAs that clients trust, the keys of its ServiceAccount
 * tokens and of its Secrets. All others are issued again.
 */
const PORTABLE_FILES = [
  'ca.crt',
  'ca.key',
  'signing-ca.crt',
  'signing-ca.key',
  'client-ca.crt',
  'front-proxy-ca.crt',
  'front-proxy-ca.key',
  'sa.key',
  'sa.pub',
  ENCRYPTION_FILE,
] as const

/** The files that a plane keeps when it is created elsewhere. */
export function portableFiles(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    PORTABLE_FILES.flatMap((name) => {
      const text = files[name]
      return text === undefined ? [] : [[name, text]]
    }),
  )
}
