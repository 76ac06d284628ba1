import { createPrivateKey } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  AUTHORITY,
  authorityOf,
  CLIENT_AUTH,
  DAY_MS,
  daysLater,
  leafOf,
  NOW,
  read,
  SERVER_AUTH,
} from '../fixtures.ts'
import { opensslText, opensslVerify, type Verification } from '../openssl.ts'

const CA = read(AUTHORITY.certificate)

test.for([
  ['ecdsa', 'ecdsa'],
  ['ecdsa', 'rsa'],
  ['rsa', 'ecdsa'],
  ['rsa', 'rsa'],
] as const)('signs with a CA of %s a leaf of %s', async ([ofAuthority, algorithm]) => {
  const authority = authorityOf('ca', ofAuthority)
  const issued = leafOf({ algorithm, sans: ['localhost'] }, authority)

  const leaf = read(issued.certificate)
  const ca = read(authority.certificate)
  expect(leaf.ca).toBe(false)
  expect(leaf.checkIssued(ca)).toBe(true)
  expect(leaf.verify(ca.publicKey)).toBe(true)
  expect(leaf.checkPrivateKey(createPrivateKey(issued.key))).toBe(true)
  expect(await verdictOn(issued.certificate, { trusted: authority.certificate })).toBe('OK')
})

test('is refused by clients that trust another CA, even one of the same name', async () => {
  const { certificate } = leafOf()
  const namesake = authorityOf('some-ca')
  const stranger = authorityOf('other-ca')

  for (const { certificate: trusted } of [namesake, stranger]) {
    expect(await verdictOn(certificate, { trusted })).toContain('verification failed')
  }
  expect(read(certificate).verify(read(namesake.certificate).publicKey)).toBe(false)
  expect(read(certificate).checkIssued(read(stranger.certificate))).toBe(false)
})

test.for([
  [['serverAuth'], 'sslserver', true],
  [['serverAuth'], 'sslclient', false],
  [['clientAuth'], 'sslserver', false],
  [['clientAuth'], 'sslclient', true],
  [['serverAuth', 'clientAuth'], 'sslserver', true],
  [['serverAuth', 'clientAuth'], 'sslclient', true],
] as const)('with usages %j serves as %s: %s', async ([usages, purpose, isAllowed]) => {
  const verdict = await verdictOn(leafOf({ usages }).certificate, { purpose })

  expect(verdict).toMatch(isAllowed ? /^OK$/ : /un(suitable|supported) certificate purpose/)
})

test('names every usage once', () => {
  const { certificate } = leafOf({ usages: ['clientAuth', 'serverAuth', 'clientAuth'] })

  expect(read(certificate).keyUsage).toEqual([CLIENT_AUTH, SERVER_AUTH])
})

test.for([
  ['ecdsa', 'Digital Signature'],
  ['rsa', 'Digital Signature, Key Encipherment'],
] as const)('allows a key of %s only what TLS requires', async ([algorithm, usages]) => {
  const text = await opensslText(leafOf({ algorithm }).certificate)

  expect(text).toMatch(new RegExp(`X509v3 Key Usage: critical\\s+${usages}\\n`))
  expect(text).toMatch(/X509v3 Basic Constraints: critical\s+CA:FALSE\n/)
})

test('points to the key of its CA', async () => {
  const identifierOf = (text: string, kind: string) =>
    new RegExp(`X509v3 ${kind} Key Identifier: \\s+(?:keyid:)?([0-9A-F:]+)\\n`).exec(text)?.[1]

  const ofAuthority = identifierOf(await opensslText(AUTHORITY.certificate), 'Subject')
  const text = await opensslText(leafOf().certificate)

  expect(ofAuthority).toHaveLength(59)
  expect(identifierOf(text, 'Authority')).toBe(ofAuthority)
  expect(identifierOf(text, 'Subject')).not.toBe(ofAuthority)
})

test('is valid from five minutes ago to the end of its lifetime, in whole seconds', () => {
  const { certificate, expiresAt } = leafOf({ lifetimeMs: DAY_MS })

  const { validFromDate, validToDate } = read(certificate)
  expect(validFromDate).toEqual(new Date('2030-05-17T10:15:30Z'))
  expect(validToDate).toEqual(new Date('2030-05-18T10:20:30Z'))
  expect(expiresAt).toEqual(validToDate)
})

test.for([Infinity, 5000 * DAY_MS])('never expires later than its CA: %d ms', (lifetimeMs) => {
  const { certificate, expiresAt } = leafOf({ lifetimeMs })

  expect(expiresAt).toEqual(CA.validToDate)
  expect(read(certificate).validToDate).toEqual(CA.validToDate)
})

test('is not issued by a CA that has expired', () => {
  expect(() => leafOf({ now: daysLater(3650) })).toThrow(
    expect.objectContaining({
      code: 'FAILED',
      message: 'the CA expired at 2040-05-14T10:20:30.000Z',
    }),
  )
})

test('is refused before it is valid and after it has expired', async () => {
  const { certificate, expiresAt } = leafOf()
  const verdictAt = (time: Date, ms: number) =>
    verdictOn(certificate, { at: new Date(time.getTime() + ms) })

  expect(await verdictAt(NOW, -6 * 60 * 1000)).toContain('not yet valid')
  expect(await verdictAt(expiresAt, 1000)).toContain('has expired')
  expect(await verdictAt(expiresAt, -1000)).toBe('OK')
})

test('has a positive random serial number of 16 bytes', () => {
  const numbers = Array.from({ length: 50 }, () => read(leafOf().certificate).serialNumber)

  expect(new Set(numbers).size).toBe(50)
  for (const number of numbers) {
    expect(number).toMatch(/^[4-7][0-9A-F]{31}$/)
  }
})

test('has the user as common name and the groups as organizations', () => {
  const organizations = ['system:masters', 'dev', 'system:masters']
  const { certificate } = leafOf({ commonName: 'jane', organizations })

  const { subject } = read(certificate).toLegacyObject()
  expect({ ...subject }).toEqual({ CN: 'jane', O: ['system:masters', 'dev'] })
})

test.for([
  'system:kube-controller-manager',
  'a/CN=admin',
  'a, O=system:masters',
  'CN=admin+O=system:masters',
  'x'.repeat(300),
  '"\\\'`$(id)',
  '*.example.com',
  'ünïcode 名前 🚀',
  '\u202Enimda',
  ' spaces ',
])('takes the name %j literally', async (commonName) => {
  const { certificate } = leafOf({ commonName })

  const { subject } = read(certificate).toLegacyObject()
  expect(subject).toEqual({ CN: commonName })
  expect(await verdictOn(certificate)).toBe('OK')
})

test('accepts every readable name literally, as user and as group', () => {
  const names = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 80 })
    .filter((name) => !/\p{Cc}/u.test(name))
  fc.assert(
    fc.property(names, names, (commonName, organization) => {
      const { certificate } = leafOf({ commonName, organizations: [organization] })

      const { subject } = read(certificate).toLegacyObject()
      expect({ ...subject }).toEqual({ CN: commonName, O: organization })
    }),
    { numRuns: 50 },
  )
})

test.for(['', 'admin\u0000.evil', 'a\nO=system:masters', 'a\u007F', 'a\u0085', 'half \uD83D'])(
  'refuses the name %j, as user and as group',
  (name) => {
    const refusal = expect.objectContaining({ code: 'USAGE' })

    expect(() => leafOf({ commonName: name })).toThrow(refusal)
    expect(() => leafOf({ organizations: ['dev', name] })).toThrow(refusal)
  },
)

/** What openssl says about a leaf, for a server of `AUTHORITY` unless said otherwise. */
function verdictOn(leaf: string, more: Partial<Verification> = {}): Promise<string> {
  return opensslVerify({ trusted: AUTHORITY.certificate, leaf, purpose: 'sslserver', ...more })
}
