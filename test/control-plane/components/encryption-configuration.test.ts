import { expect, test } from 'vitest'
import {
  encryptionConfiguration,
  encryptionKey,
  encryptionKeysOf,
} from '../../../src/control-plane/components/encryption-configuration.ts'

test('writes Secrets with the key, and still reads those that were written before', () => {
  const key = Buffer.alloc(32, 7)

  expect(JSON.parse(encryptionConfiguration([encryptionKey(key)]))).toEqual({
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

test('says which keys it has, the one that writes first', () => {
  const keys = [encryptionKey(Buffer.alloc(32, 2), 2), encryptionKey(Buffer.alloc(32, 1))]

  expect(encryptionKeysOf(encryptionConfiguration(keys))).toEqual(keys)
})

test.for(['', '{}', '{"resources":[{"providers":[{"secretbox":{"keys":[]}}]}]}'])(
  'refuses what is none: %j',
  (text) => {
    expect(() => encryptionKeysOf(text)).toThrow('damaged')
  },
)
