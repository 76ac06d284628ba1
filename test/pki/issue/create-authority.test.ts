import { createPrivateKey, sign, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { createAuthority } from '../../../src/pki/issue/create-authority.ts'
import { DAY_MS, NOW, read } from '../fixtures.ts'
import { opensslKey, opensslText } from '../openssl.ts'

const ALGORITHMS = ['ecdsa', 'rsa'] as const

test.for(ALGORITHMS)('creates a self-signed CA with %s', (algorithm) => {
  const { certificate } = createAuthority({ commonName: 'kubernetes', algorithm, now: NOW })

  const parsed = read(certificate)
  expect(parsed.ca).toBe(true)
  expect(parsed.subject).toBe('CN=kubernetes')
  expect(parsed.issuer).toBe('CN=kubernetes')
  expect(parsed.checkIssued(parsed)).toBe(true)
  expect(parsed.verify(parsed.publicKey)).toBe(true)
})

test.for(ALGORITHMS)('returns the %s key of the certificate', (algorithm) => {
  const authority = createAuthority({ commonName: 'kubernetes', algorithm, now: NOW })

  const key = createPrivateKey(authority.key)
  const certificate = read(authority.certificate)
  expect(authority.key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
  expect(certificate.checkPrivateKey(key)).toBe(true)
  const message = Buffer.from('message')
  expect(verify('sha256', message, certificate.publicKey, sign('sha256', message, key))).toBe(true)
})

test.for([
  ['ecdsa', 'ec', { namedCurve: 'prime256v1' }],
  ['rsa', 'rsa', { modulusLength: 2048 }],
] as const)('creates %s keys of the documented size', ([algorithm, type, details]) => {
  const { certificate } = createAuthority({ commonName: 'kubernetes', algorithm, now: NOW })

  const { publicKey } = read(certificate)
  expect(publicKey.asymmetricKeyType).toBe(type)
  expect(publicKey.asymmetricKeyDetails).toMatchObject(details)
})

test('is valid for 10 years, from five minutes ago', () => {
  const { certificate } = createAuthority({ commonName: 'ca', algorithm: 'ecdsa', now: NOW })

  const { validFromDate, validToDate } = read(certificate)
  expect(validFromDate).toEqual(new Date('2030-05-17T10:15:30Z'))
  expect(validToDate).toEqual(new Date(Math.floor((NOW.getTime() + 3650 * DAY_MS) / 1000) * 1000))
})

test('marks the permissions of a CA as critical', async () => {
  const { certificate } = createAuthority({ commonName: 'ca', algorithm: 'ecdsa', now: NOW })

  const text = await opensslText(certificate)
  expect(text).toContain('Version: 3 (0x2)')
  expect(text).toContain('Signature Algorithm: ecdsa-with-SHA256')
  expect(text).toMatch(/X509v3 Basic Constraints: critical\s+CA:TRUE\n/)
  expect(text).toMatch(
    /X509v3 Key Usage: critical\s+Digital Signature, Certificate Sign, CRL Sign\n/,
  )
  expect(text).toMatch(/X509v3 Subject Key Identifier: \s+([0-9A-F]{2}:){19}[0-9A-F]{2}\n/)
  expect(text).not.toContain('X509v3 Extended Key Usage')
})

test.for(ALGORITHMS)('creates %s keys that openssl accepts', async (algorithm) => {
  const { key } = createAuthority({ commonName: 'ca', algorithm, now: NOW })

  expect(await opensslKey(key)).toContain('Key is valid')
})

test('creates another key and another serial number each time', () => {
  const [one, two] = [1, 2].map(() =>
    createAuthority({ commonName: 'ca', algorithm: 'ecdsa', now: NOW }),
  )

  expect(one?.key).not.toBe(two?.key)
  expect(read(one?.certificate ?? '').serialNumber).not.toBe(
    read(two?.certificate ?? '').serialNumber,
  )
})

test('encodes an expiry after 2049 correctly', async () => {
  const { certificate } = createAuthority({
    commonName: 'ca',
    algorithm: 'ecdsa',
    now: new Date('2045-01-02T03:04:05Z'),
  })

  expect(read(certificate).validToDate).toEqual(new Date('2054-12-31T03:04:05Z'))
  expect(await opensslText(certificate)).toContain('Not After : Dec 31 03:04:05 2054 GMT')
})

test('refuses a CA without a name', () => {
  expect(() => createAuthority({ commonName: '', algorithm: 'ecdsa', now: NOW })).toThrow(
    expect.objectContaining({ code: 'USAGE', message: 'the certificate name "" is empty' }),
  )
})

test.for([
  ['ecdsa', '300a06082a8648ce3d040302'],
  ['rsa', '300d06092a864886f70d01010b0500'],
] as const)('names the signature algorithm of %s as its RFC writes it', ([algorithm, der]) => {
  const { certificate } = createAuthority({ commonName: 'ca', algorithm, now: NOW })

  // In the part that is signed, and beside the signature.
  expect(read(certificate).raw.toString('hex').split(der)).toHaveLength(3)
})
