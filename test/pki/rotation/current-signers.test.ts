import { expect, test } from 'vitest'
import { createServiceAccountKeys } from '../../../src/pki/plane/service-account-keys.ts'
import { currentSigners } from '../../../src/pki/rotation/current-signers.ts'
import { createTestCertificates } from '../../support/test-certificates.ts'

test('the CA that signs, and the first of the keys that verify tokens', async () => {
  const { certificate: signingAuthority } = createTestCertificates().authority
  const [one, other] = await Promise.all([createServiceAccountKeys(), createServiceAccountKeys()])
  const tokensOf = (publicKeys: string) => currentSigners({ signingAuthority, publicKeys }).tokens

  const { certificates } = currentSigners({ signingAuthority, publicKeys: one['sa.pub'] })
  expect(certificates).toBe('CN=test-ca')
  expect(tokensOf(one['sa.pub'] + other['sa.pub'])).toBe(tokensOf(one['sa.pub']))
  expect(tokensOf(other['sa.pub'] + one['sa.pub'])).toBe(tokensOf(other['sa.pub']))
  expect(tokensOf(one['sa.pub'])).not.toBe(tokensOf(other['sa.pub']))
})
