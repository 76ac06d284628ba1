import { expect, test } from 'vitest'
import { createAuthority } from '../../../src/pki/issue/create-authority.ts'
import type { KeyAlgorithm } from '../../../src/pki/x509/sign-certificate.ts'
import { leafOf } from '../fixtures.ts'
import { handshake } from '../handshake.ts'

// TLS looks at the clock of the machine, so that a fixed time will not do.
const now = new Date()
const authority = authorityAt('ca')
const trusts = authority.certificate
const sans = ['127.0.0.1', 'kubernetes.default']

const server = { ...leafOf({ now, sans }, authority), trusts }
const client = { ...leafOf({ now, commonName: 'jane', usages: ['clientAuth'] }, authority), trusts }

test.for([undefined, 'kubernetes.default'])(
  'lets both sides trust each other at the address or the name: %s',
  async (host) => {
    expect(await handshake(server, client, host)).toEqual({ user: 'jane', protocol: 'TLSv1.3' })
  },
)

test('works the same with RSA on both sides', async () => {
  const rsa = authorityAt('ca', 'rsa')
  const common = { now, algorithm: 'rsa', commonName: 'joe' } as const
  const leaf = leafOf({ ...common, sans, usages: ['serverAuth', 'clientAuth'] }, rsa)
  const party = { ...leaf, trusts: rsa.certificate }

  expect(await handshake(party, party)).toEqual({ user: 'joe', protocol: 'TLSv1.3' })
})

test.for([
  ['of another name', server, 'elsewhere.example', /^ERR_TLS_CERT_ALTNAME_INVALID$/],
  [
    'of another CA of the same name',
    leafOf({ now, sans }, authorityAt('ca')),
    undefined,
    /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_SIGNATURE_FAILURE)$/,
  ],
  [
    'with the certificate of a client',
    leafOf({ now, sans, usages: ['clientAuth'] }, authority),
    undefined,
    /^INVALID_PURPOSE$/,
  ],
] as const)('makes the client refuse a server %s', async ([, wrong, host, code]) => {
  await expect(handshake({ ...wrong, trusts }, client, host)).rejects.toMatchObject({
    code: expect.stringMatching(code),
  })
})

const HOUR_MS = 60 * 60 * 1000
const EXPIRED = { now: new Date(now.getTime() - 2 * HOUR_MS), lifetimeMs: HOUR_MS }

test.for([
  ['with the certificate of a server', server, 'INVALID_PURPOSE'],
  [
    'of another CA',
    leafOf({ now, usages: ['clientAuth'] }, authorityAt('stranger')),
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ],
  [
    'whose certificate has expired',
    leafOf({ ...EXPIRED, usages: ['clientAuth'] }, authority),
    'CERT_HAS_EXPIRED',
  ],
] as const)('makes the server refuse a client %s', async ([, wrong, code]) => {
  await expect(handshake(server, { ...wrong, trusts })).rejects.toThrow(code)
})

function authorityAt(commonName: string, algorithm: KeyAlgorithm = 'ecdsa') {
  return createAuthority({ commonName, algorithm, now })
}
