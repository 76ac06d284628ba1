import { ENCRYPTION_FILE } from '../../control-plane/components/encryption-configuration.ts'

/**
 * The files that make a plane elsewhere the same plane to those who know it: whom clients trust, whose tokens hold, and
 * what its Secrets are encrypted with. All others are issued anew.
 */
const KEPT_FILES = [
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

/** Those of a plane's files that go with it wherever it goes. */
export function portableFiles(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    KEPT_FILES.flatMap((name) => {
      const text = files[name]
      return text === undefined ? [] : [[name, text]]
    }),
  )
}
