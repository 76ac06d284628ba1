import { expect, test } from 'vitest'
import { encryptionConfiguration } from '../../../src/control-plane/components/encryption-configuration.ts'

test('writes Secrets with the key, and still reads those that were written before', () => {
  const key = Buffer.alloc(32, 7)

  expect(JSON.parse(encryptionConfiguration(key))).toEqual({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [
      {
        resources: ['secrets'],
        providers: [
          { secretbox: { keys: [{ name: 'key-1', secret: key.toString('base64') }] } },
          { identity: {} },
        ],
      },
    ],
  })
})
