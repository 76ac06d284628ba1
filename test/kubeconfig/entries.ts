import type { ContextEntry } from '../../src/kubeconfig/contexts/context-entry.ts'

export const CA = '-----BEGIN CERTIFICATE-----\nY2E=\n-----END CERTIFICATE-----\n'
export const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nY2VydA==\n-----END CERTIFICATE-----\n'
export const KEY = '-----BEGIN PRIVATE KEY-----\na2V5\n-----END PRIVATE KEY-----\n'

/** The context of a plane with the credential plugin, changed as a test needs it. */
export function execEntry(plane: string, changes: Partial<ContextEntry> = {}): ContextEntry {
  return {
    name: `vplane_${plane}`,
    server: 'https://127.0.0.1:20443',
    certificateAuthorityData: CA,
    user: { kind: 'exec', command: '/opt/vplane-credential', args: ['local', plane] },
    origin: { writtenBy: '0.1.0', plane, driver: 'local' },
    ...changes,
  }
}

/** The context of a plane with its own certificate. */
export function embeddedEntry(plane: string): ContextEntry {
  return execEntry(plane, { user: { kind: 'embedded', certificate: CERTIFICATE, key: KEY } })
}
