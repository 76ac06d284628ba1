import { expect, test } from 'vitest'
import { createAuthority } from '../../../src/pki/issue/create-authority.ts'
import { leafOf } from '../fixtures.ts'
import { handshake } from '../handshake.ts'

// TLS looks at the clock of the machine, so that a fixed time will not do.
const now = new Date()
const authority = createAuthority({ commonName: 'ca', algorithm: 'ecdsa', now })
const trusts = authority.certificate
const sans = ['127.0.0.1', 'kubernetes.default']

const server = { ...leafOf({ now, sans }, authority), trusts }
const client = {
  ...leafOf({ now, commonName: 'jane', usages: ['clientAuth'] }, authority),
  trusts,
}

test.for([undefined, 'kubernetes.default'])(
  'lets both sides trust each other at the address or the name: %s',
  async (host) => {
    expect(await handshake(server, client, host)).toEqual({ user: 'jane', protocol: 'TLSv1.3' })
  },
)

test('works the same with RSA on both sides', async () => {
  const rsa = createAuthority({ commonName: 'ca', algorithm: 'rsa', now })
  const common = { now, algorithm: 'rsa', commonName: 'joe' } as const
  const party = { ...leafOf({ ...common, sans, usages: ['serverAuth', 'clientAuth'] }, rsa) }

  const result = await handshake(
    { ...party, trusts: rsa.certificate },
    { ...party, trusts: rsa.certificate },
  )

  expect(result).toEqual({ user: 'joe', protocol: 'TLSv1.3' })
})

test('makes the client refuse a server of another name', async () => {
  await expect(handshake(server, client, 'elsewhere.example')).rejects.toMatchObject({
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  })
})

test('makes the client refuse a server of another CA of the same name', async () => {
  const namesake = createAuthority({ commonName: 'ca', algorithm: 'ecdsa', now })
  const impostor = { ...leafOf({ now, sans }, namesake), trusts }

  await expect(handshake(impostor, client)).rejects.toMatchObject({
    code: expect.stringMatching(/UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_SIGNATURE_FAILURE/),
  })
})

test('makes the client refuse a client certificate as a server', async () => {
  const wrong = { ...leafOf({ now, sans, usages: ['clientAuth'] }, authority), trusts }

  await expect(handshake(wrong, client)).rejects.toMatchObject({ code: 'INVALID_PURPOSE' })
})

test('makes the server refuse a server certificate as a client', async () => {
  await expect(handshake(server, server)).rejects.toThrow('INVALID_PURPOSE')
})

test('makes the server refuse a client of another CA', async () => {
  const stranger = createAuthority({ commonName: 'stranger', algorithm: 'ecdsa', now })
  const wrong = { ...leafOf({ now, usages: ['clientAuth'] }, stranger), trusts }

  await expect(handshake(server, wrong)).rejects.toThrow('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
})

test('makes the server refuse a client whose certificate has expired', async () => {
  const hourMs = 60 * 60 * 1000
  const before = new Date(now.getTime() - 2 * hourMs)
  const ended = leafOf({ now: before, lifetimeMs: hourMs, usages: ['clientAuth'] }, authority)

  await expect(handshake(server, { ...ended, trusts })).rejects.toThrow('CERT_HAS_EXPIRED')
})
