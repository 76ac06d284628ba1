import { expect, test } from 'vitest'
import {
  encryptedPrefix,
  encryptionConfiguration,
  encryptionKey,
  encryptionKeysOf,
} from '../../../src/control-plane/components/encryption-configuration.ts'
import { ENCRYPTION_PROVIDERS } from '../../../src/control-plane/spec/fields/encryption-spec.ts'

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

test.for(ENCRYPTION_PROVIDERS)('says which keys of %s it has, the writer first', (provider) => {
  const keys = [
    encryptionKey(Buffer.alloc(32, 2), { number: 2, provider }),
    encryptionKey(Buffer.alloc(32, 1), { provider }),
  ]

  const configuration = encryptionConfiguration(keys)

  expect(encryptionKeysOf(configuration)).toEqual(keys)
  expect(JSON.parse(configuration)).toMatchObject({
    resources: [
      { providers: [{ [provider]: { keys: [{ name: 'key-2' }, { name: 'key-1' }] } }, {}] },
    ],
  })
  expect(keys.map(encryptedPrefix)).toEqual(
    [2, 1].map((key) => `k8s:enc:${provider}:v1:key-${key}:`),
  )
})

test.for(['', '{}', '{"resources":[{"providers":[{"secretbox":{"keys":[]}}]}]}'])(
  'refuses what is none: %j',
  (text) => {
    expect(() => encryptionKeysOf(text)).toThrow('damaged')
  },
)
