import { expect, test } from 'vitest'
import { createCertificateRequest } from '../../../src/pki/issue/create-certificate-request.ts'
import { opensslRequest } from '../openssl.ts'

test.for(['ecdsa', 'rsa'] as const)(
  'openssl reads the names and verifies it: %s',
  async (algorithm) => {
    const identity = { user: 'flux', groups: ['gitops', 'dev'] }
    const { key, request } = createCertificateRequest({ ...identity, algorithm })

    expect(await opensslRequest(request)).toContain('Subject: CN=flux,O=dev,O=gitops')
    expect(key).toContain('BEGIN PRIVATE KEY')
  },
)
