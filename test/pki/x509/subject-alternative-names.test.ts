import { isIP } from 'node:net'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatIpAddress, ipAddressBytes } from '../../../src/pki/x509/ip-address.ts'
import { leafOf, read } from '../fixtures.ts'
import { opensslText } from '../openssl.ts'

test('contains host names as names and addresses as addresses, in order', () => {
  const sans = ['kubernetes', '127.0.0.1', '*.etcd.svc', '::1', 'fd00::10.0.0.1']

  expect(sansOf(sans)).toEqual([
    'DNS:kubernetes',
    'IP Address:127.0.0.1',
    'DNS:*.etcd.svc',
    'IP Address:0:0:0:0:0:0:0:1',
    'IP Address:FD00:0:0:0:0:0:A00:1',
  ])
})

test('reads the same with openssl', async () => {
  const text = await opensslText(leafOf({ sans: ['localhost', '10.96.0.1', '::1'] }).certificate)

  expect(text).toMatch(
    /X509v3 Subject Alternative Name: \s+DNS:localhost, IP Address:10\.96\.0\.1, IP Address:0:0:0:0:0:0:0:1\n/,
  )
})

test('contains every name once, however it is written', () => {
  const sans = ['Localhost', 'localhost', '::1', '0:0:0:0:0:0:0:1', '127.0.0.1', '127.0.0.1']

  expect(sansOf(sans)).toEqual([
    'DNS:localhost',
    'IP Address:0:0:0:0:0:0:0:1',
    'IP Address:127.0.0.1',
  ])
})

test('leaves the extension out when there are no names', () => {
  expect(read(leafOf({ sans: [] }).certificate).subjectAltName).toBeUndefined()
})

const LISTS = ['a b', 'DNS:evil', 'a, DNS:evil', 'a\u0000.evil']
const ADDRESSES = ['', '10.0.0.0/8', '1.2.3', 'https://host']

test.for([...LISTS, ...ADDRESSES])('refuses %j and says so', (san) => {
  expect(() => leafOf({ sans: ['localhost', san] })).toThrow(
    expect.objectContaining({
      code: 'INVALID_SPEC',
      message: `the certificate name ${JSON.stringify(san)} is neither a host name nor an IP address`,
    }),
  )
})

test('is accepted by clients for all of its names, and for no others', () => {
  const san = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6())
  const sans = fc.uniqueArray(san, { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(sans, (names) => {
      const leaf = read(leafOf({ sans: names }).certificate)

      for (const name of names) {
        const matched = isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(canonical(name))
        expect(matched, name).toBeDefined()
      }
      expect(leaf.checkHost('elsewhere.invalid')).toBeUndefined()
      expect(leaf.subjectAltName?.split(', ')).toHaveLength(distinct(names))
    }),
    { numRuns: 60 },
  )
})

test('contains many names', () => {
  const sans = Array.from({ length: 500 }, (_, index) => `member-${index}.etcd.svc`)

  expect(sansOf(sans)).toEqual(sans.map((san) => `DNS:${san}`))
})

function sansOf(sans: string[]): string[] | undefined {
  return read(leafOf({ sans }).certificate).subjectAltName?.split(', ')
}

function canonical(address: string): string {
  return formatIpAddress(ipAddressBytes(address) ?? Buffer.alloc(0))
}

function distinct(names: string[]): number {
  const written = names.map((name) => (isIP(name) === 0 ? name.toLowerCase() : canonical(name)))
  return new Set(written).size
}
