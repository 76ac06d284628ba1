import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { distinguishedName } from '../../../src/pki/x509/distinguished-name.ts'
import { createKeyPair, signCertificate } from '../../../src/pki/x509/sign-certificate.ts'
import { daysLater, NOW, read } from '../fixtures.ts'

const name = distinguishedName('ca')
const content = {
  subject: name,
  publicKeyDer: createKeyPair('ecdsa').publicKeyDer,
  now: NOW,
  notAfter: daysLater(1),
  extensions: [],
}

test('signs with the elliptic curves that other tools use for CAs', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })

  const certificate = read(signCertificate({ name, key: privateKey }, content))

  expect(certificate.verify(publicKey)).toBe(true)
})

test('names the kind of key that it cannot sign with', () => {
  const { privateKey } = generateKeyPairSync('ed25519')

  expect(() => signCertificate({ name, key: privateKey }, content)).toThrow(
    'cannot sign certificates with a key of type ed25519',
  )
})
