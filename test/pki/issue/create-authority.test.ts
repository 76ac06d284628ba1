import { createPrivateKey, sign, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { createAuthority } from '../../../src/pki/issue/create-authority.ts'
import { authorityOf, DAY_MS, NOW, read } from '../fixtures.ts'
import { opensslKey, opensslText } from '../openssl.ts'

test.for([
  ['ecdsa', 'ec', { namedCurve: 'prime256v1' }, '300a06082a8648ce3d040302'],
  ['rsa', 'rsa', { modulusLength: 2048 }, '300d06092a864886f70d01010b0500'],
] as const)('creates a self-signed CA with %s', async ([algorithm, type, details, signature]) => {
  const authority = createAuthority({ commonName: 'kubernetes', algorithm, now: NOW })

  const certificate = read(authority.certificate)
  const { publicKey } = certificate
  expect(certificate).toMatchObject({ ca: true, subject: 'CN=kubernetes', issuer: 'CN=kubernetes' })
  expect(certificate.checkIssued(certificate)).toBe(true)
  expect(certificate.verify(publicKey)).toBe(true)
  // As its RFC writes it: in the part that is signed, and beside the signature.
  expect(certificate.raw.toString('hex').split(signature)).toHaveLength(3)
  expect(publicKey.asymmetricKeyType).toBe(type)
  expect(publicKey.asymmetricKeyDetails).toMatchObject(details)
  const key = createPrivateKey(authority.key)
  expect(authority.key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
  expect(certificate.checkPrivateKey(key)).toBe(true)
  const message = Buffer.from('message')
  expect(verify('sha256', message, publicKey, sign('sha256', message, key))).toBe(true)
  expect(await opensslKey(authority.key)).toContain('Key is valid')
})

test('is valid for 10 years, from five minutes ago', () => {
  const { validFromDate, validToDate } = read(authorityOf('ca').certificate)

  expect(validFromDate).toEqual(new Date('2030-05-17T10:15:30Z'))
  expect(validToDate).toEqual(new Date(Math.floor((NOW.getTime() + 3650 * DAY_MS) / 1000) * 1000))
})

test('marks the permissions of a CA as critical', async () => {
  const text = await opensslText(authorityOf('ca').certificate)

  expect(text).toContain('Version: 3 (0x2)')
  expect(text).toContain('Signature Algorithm: ecdsa-with-SHA256')
  expect(text).toMatch(/X509v3 Basic Constraints: critical\s+CA:TRUE\n/)
  expect(text).toMatch(
    /X509v3 Key Usage: critical\s+Digital Signature, Certificate Sign, CRL Sign\n/,
  )
  expect(text).toMatch(/X509v3 Subject Key Identifier: \s+([0-9A-F]{2}:){19}[0-9A-F]{2}\n/)
  expect(text).not.toContain('X509v3 Extended Key Usage')
})

test('creates another key and another serial number each time', () => {
  const [one, two] = [authorityOf('ca'), authorityOf('ca')]

  expect(one.key).not.toBe(two.key)
  expect(read(one.certificate).serialNumber).not.toBe(read(two.certificate).serialNumber)
})

test('encodes an expiry after 2049 correctly', async () => {
  const now = new Date('2045-01-02T03:04:05Z')
  const { certificate } = createAuthority({ commonName: 'ca', algorithm: 'ecdsa', now })

  expect(read(certificate).validToDate).toEqual(new Date('2054-12-31T03:04:05Z'))
  expect(await opensslText(certificate)).toContain('Not After : Dec 31 03:04:05 2054 GMT')
})

test('refuses a CA without a name', () => {
  expect(() => authorityOf('')).toThrow(
    expect.objectContaining({ code: 'USAGE', message: 'the certificate name "" is empty' }),
  )
})
