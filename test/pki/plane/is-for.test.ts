import { expect, test } from 'vitest'
import { createPlanePki } from '../../../src/pki/plane/plane-pki.ts'
import { isFor } from '../../../src/pki/plane/is-for.ts'

const SANS = ['localhost', 'kubernetes.default.svc', '127.0.0.1', '::1', 'fd00::a']

test.for([
  ['the same names', SANS, true],
  ['the same names in another order', SANS.toReversed(), true],
  ['one name more', [...SANS, 'api.test'], false],
  ['one address more', [...SANS, '10.0.0.1'], false],
  ['one name less', SANS.slice(1), false],
  ['another name', ['other', ...SANS.slice(1)], false],
] as const)('tells whether a certificate is for %s', async ([, sans, expected]) => {
  const files = await createPlanePki({
    algorithm: 'ecdsa',
    now: new Date(),
    serverSans: SANS,
    serviceAccountKeys: Promise.resolve({ 'sa.key': '', 'sa.pub': '' }),
  })

  expect(isFor(files['apiserver.crt'] ?? '', sans)).toBe(expected)
})
