import type { IssuedCertificate } from '../../src/pki/issue/issue-certificate.ts'
import type { Authority } from '../../src/pki/issue/create-authority.ts'
import { createAuthority } from '../../src/pki/issue/create-authority.ts'
import { issueCertificate } from '../../src/pki/issue/issue-certificate.ts'

/** A CA with a server certificate for 127.0.0.1 and localhost and a client certificate for "tester". */
export interface TestCertificates {
  authority: Authority
  server: IssuedCertificate
  client: IssuedCertificate
}

/** Two sets do not trust each other. The server has these names too. */
export function createTestCertificates(names: readonly string[] = []): TestCertificates {
  const shared = { algorithm: 'ecdsa', now: new Date(), lifetimeMs: 3_600_000 } as const
  const authority = createAuthority({ ...shared, commonName: 'test-ca' })
  return {
    authority,
    server: issueCertificate(authority, {
      ...shared,
      commonName: 'server',
      usages: ['serverAuth'],
      sans: ['127.0.0.1', 'localhost', ...names],
    }),
    client: clientCertificate(authority, 'tester'),
  }
}

/** A client certificate for a user. */
export function clientCertificate(authority: Authority, commonName: string): IssuedCertificate {
  const shared = { algorithm: 'ecdsa', now: new Date(), lifetimeMs: 3_600_000 } as const
  return issueCertificate(authority, { ...shared, commonName, usages: ['clientAuth'] })
}
