import { createPrivateKey } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import {
  earliestExpiry,
  leavesToRenew,
  renewLeaves,
} from '../../../src/pki/plane/certificate-expiry.ts'
import {
  authorityKeyUsage,
  basicConstraints,
  subjectKeyIdentifier,
} from '../../../src/pki/x509/certificate-extensions.ts'
import { certificateFiles } from '../../../src/pki/plane/certificate-files.ts'
import type { Authority } from '../../../src/pki/issue/create-authority.ts'
import { distinguishedName } from '../../../src/pki/x509/distinguished-name.ts'
import { createEtcdPki } from '../../../src/pki/plane/etcd-pki.ts'
import { createPlanePki } from '../../../src/pki/plane/plane-pki.ts'
import {
  createKeyPair,
  formatPrivateKey,
  signCertificate,
} from '../../../src/pki/x509/sign-certificate.ts'
import { AUTHORITY, authorityOf, DAY_MS, daysLater, leafOf, NOW, read } from '../fixtures.ts'
import { opensslText, opensslVerify } from '../openssl.ts'

const ALL_LEAVES = [
  'apiserver-etcd-client.crt',
  'apiserver.crt',
  'controller-manager-server.crt',
  'controller-manager.crt',
  'etcd/healthcheck-client.crt',
  'etcd/peer.crt',
  'etcd/server.crt',
  'front-proxy-client.crt',
]
const LAST_DAYS = daysLater(300)

let plane: Record<string, string> = {}

beforeAll(async () => {
  const options = { algorithm: 'ecdsa', now: NOW } as const
  plane = {
    ...createEtcdPki({ ...options, memberSans: ['etcd-0'] }),
    ...(await createPlanePki({ ...options, serverSans: ['kubernetes', '10.96.0.1'] })),
  }
})

test('finds the first end among leaves and CAs', () => {
  const files = {
    ...certificateFiles('ca', AUTHORITY),
    ...certificateFiles('long', leafOf({ lifetimeMs: 9 * DAY_MS })),
    ...certificateFiles('short', leafOf({ lifetimeMs: 3 * DAY_MS })),
    'sa.pub': 'no certificate',
  }

  expect(earliestExpiry(files)).toEqual(new Date('2030-05-20T10:20:30Z'))
  const { validToDate } = read(AUTHORITY.certificate)
  expect(earliestExpiry({ 'ca.crt': AUTHORITY.certificate })).toEqual(validToDate)
})

test('finds the first end inside of a bundle', () => {
  const bundle = [9, 2, 5].map((days) => leafOf({ lifetimeMs: days * DAY_MS }).certificate)

  const end = new Date('2030-05-19T10:20:30Z')
  expect(earliestExpiry({ 'bundle.crt': bundle.join('') })).toEqual(end)
})

test('has no end without certificates', () => {
  expect(earliestExpiry({})).toBeUndefined()
  expect(earliestExpiry({ 'sa.key': plane['sa.key'] ?? '' })).toBeUndefined()
})

test('finds the end of a whole plane in a year', () => {
  expect(earliestExpiry(plane)).toEqual(new Date('2031-05-17T10:20:30Z'))
})

test.for(['', 'not a certificate'])('names the file that cannot be read: %j', (text) => {
  const files = { ...plane, 'apiserver.crt': text }
  const refusal = expect.objectContaining({
    code: 'FAILED',
    message: 'there is no certificate in "apiserver.crt"',
  })

  expect(() => earliestExpiry(files)).toThrow(refusal)
  expect(() => leavesToRenew(files, { now: NOW })).toThrow(refusal)
})

test.for([
  [0, []],
  [274, []],
  [276, ALL_LEAVES],
  [400, ALL_LEAVES],
] as const)('after %d days these leaves of a plane are due: %j', ([days, expected]) => {
  expect(leavesToRenew(plane, { now: daysLater(days) })).toEqual(expected)
})

test('counts to the requested second', () => {
  const files = { 'x.crt': leafOf({ lifetimeMs: 10 * DAY_MS }).certificate }
  const end = read(files['x.crt']).validToDate

  const dueAt = (beforeEndMs: number) =>
    leavesToRenew(files, { now: new Date(end.getTime() - beforeEndMs), withinMs: DAY_MS })

  expect(dueAt(DAY_MS + 1)).toEqual([])
  expect(dueAt(DAY_MS)).toEqual(['x.crt'])
})

test('renews nothing before its time', () => {
  expect(renewLeaves(plane, { now: NOW })).toEqual({})
})

test('renews all leaves in their last days, and leaves CAs and keys of tokens alone', () => {
  const renewed = renewLeaves(plane, { now: LAST_DAYS })

  const files = ALL_LEAVES.flatMap((name) => [name, name.replace('.crt', '.key')])
  expect(Object.keys(renewed).sort()).toEqual(files.sort())
  const after = { ...plane, ...renewed }
  expect(leavesToRenew(after, { now: LAST_DAYS })).toEqual([])
  expect(earliestExpiry(after)).toEqual(new Date('2032-03-12T10:20:30Z'))
})

test.for(ALL_LEAVES)('renews %s with the same content', (name) => {
  const renewed = renewLeaves(plane, { now: LAST_DAYS })

  const [before, after] = [plane, renewed].map((files) => read(files[name] ?? ''))
  for (const field of ['subject', 'issuer', 'subjectAltName', 'keyUsage', 'ca'] as const) {
    expect(after?.[field], field).toEqual(before?.[field])
  }
  expect(after?.serialNumber).not.toBe(before?.serialNumber)
  expect(after?.publicKey.asymmetricKeyType).toBe('ec')
  const key = createPrivateKey(renewed[name.replace('.crt', '.key')] ?? '')
  expect(after?.checkPrivateKey(key)).toBe(true)
  expect(before?.checkPrivateKey(key)).toBe(false)
})

test('renews certificates that clients of the CA continue to trust', async () => {
  const renewed = renewLeaves(plane, { now: LAST_DAYS })
  const verdict = (authority: string, leaf: string) =>
    opensslVerify({
      trusted: plane[authority] ?? '',
      leaf: renewed[leaf] ?? '',
      purpose: leaf === 'front-proxy-client.crt' ? 'sslclient' : 'sslserver',
      at: daysLater(600),
    })

  expect(await verdict('ca.crt', 'apiserver.crt')).toBe('OK')
  expect(await verdict('etcd/ca.crt', 'etcd/peer.crt')).toBe('OK')
  expect(await verdict('front-proxy-ca.crt', 'front-proxy-client.crt')).toBe('OK')
})

test('keeps names that are hard to write, groups and the kind of key', async () => {
  const old = leafOf({
    commonName: 'a/CN=b, O=c+ü"\\',
    organizations: ['dev', 'x, y'],
    usages: ['clientAuth', 'serverAuth'],
    sans: ['*.example.com', 'fd00::1'],
    algorithm: 'rsa',
  })
  const files = { ...certificateFiles('ca', AUTHORITY), ...certificateFiles('user', old) }

  const renewed = renewLeaves(files, { now: LAST_DAYS, lifetimeMs: 7 * DAY_MS })['user.crt'] ?? ''

  const [before, after] = [old.certificate, renewed].map((pem) => read(pem).toLegacyObject())
  expect({ ...after?.subject }).toEqual({ ...before?.subject })
  expect(after?.subjectaltname).toBe(before?.subjectaltname)
  expect(after?.ext_key_usage).toEqual(before?.ext_key_usage)
  expect(read(renewed).publicKey.asymmetricKeyType).toBe('rsa')
  const endMs = Math.floor(daysLater(7, LAST_DAYS).getTime() / 1000) * 1000
  expect(read(renewed).validToDate.getTime()).toBe(endMs)
  expect(await opensslText(renewed)).toContain('Digital Signature, Key Encipherment')
})

test('finds the CA by its key, not by its name', () => {
  const namesake = authorityOf('some-ca')
  const files = {
    ...certificateFiles('a-namesake', namesake),
    ...certificateFiles('the-ca', AUTHORITY),
    ...certificateFiles('leaf', leafOf()),
  }

  const renewed = read(renewLeaves(files, { now: LAST_DAYS })['leaf.crt'] ?? '')

  expect(renewed.verify(read(AUTHORITY.certificate).publicKey)).toBe(true)
})

test('does not renew repeatedly what cannot expire later than its CA', () => {
  const files = {
    ...certificateFiles('ca', AUTHORITY),
    ...certificateFiles('leaf', leafOf({ now: daysLater(3600) })),
  }

  expect(read(files['leaf.crt'] ?? '').validToDate).toEqual(read(AUTHORITY.certificate).validToDate)
  for (const days of [3601, 3649, 3700]) {
    expect(leavesToRenew(files, { now: daysLater(days) })).toEqual([])
    expect(renewLeaves(files, { now: daysLater(days) })).toEqual({})
  }
})

test('ignores a leaf of an expired CA instead of failing', () => {
  const files = { ...certificateFiles('ca', AUTHORITY), ...certificateFiles('leaf', leafOf()) }

  expect(leavesToRenew(files, { now: daysLater(3649) })).toEqual(['leaf.crt'])
  expect(leavesToRenew(files, { now: daysLater(3651) })).toEqual([])
})

test('never treats a CA as a leaf, even if its key is stored elsewhere', () => {
  const files = { 'client-ca.crt': AUTHORITY.certificate + authorityOf('other-ca').certificate }

  expect(leavesToRenew(files, { now: daysLater(3600) })).toEqual([])
})

test.for([
  ['the CA', {}],
  ['the key of the CA', { 'ca.crt': AUTHORITY.certificate }],
  ['the right CA', certificateFiles('ca', authorityOf('some-ca'))],
  ['a CA that signed it', certificateFiles('ca', impostorOf(AUTHORITY))],
] as const)('names the leaf that cannot be renewed without %s', ([, files]) => {
  const leaf = certificateFiles('user', leafOf())

  expect(() => renewLeaves({ ...files, ...leaf }, { now: LAST_DAYS })).toThrow(
    expect.objectContaining({
      code: 'FAILED',
      message: 'cannot renew "user.crt": its CA and the CA\'s key are missing',
    }),
  )
})

/** A CA with the name and the key identifier of another, and its own key. */
function impostorOf(authority: Authority): Authority {
  const { publicKey } = read(authority.certificate)
  const { privateKey, publicKeyDer } = createKeyPair('ecdsa')
  const subject = distinguishedName('some-ca')
  const extensions = [
    basicConstraints({ isAuthority: true }),
    authorityKeyUsage(),
    subjectKeyIdentifier(publicKey.export({ type: 'spki', format: 'der' })),
  ]
  const content = { subject, publicKeyDer, now: NOW, notAfter: daysLater(3650), extensions }
  const certificate = signCertificate({ name: subject, key: privateKey }, content)
  return { certificate, key: formatPrivateKey(privateKey) }
}
