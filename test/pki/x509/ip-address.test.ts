import { isIPv4, isIPv6 } from 'node:net'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatIpAddress, ipAddressBytes } from '../../../src/pki/x509/ip-address.ts'

test.for([
  ['127.0.0.1', '7f000001'],
  ['0.0.0.0', '00000000'],
  ['255.254.1.10', 'fffe010a'],
  ['::', '00000000000000000000000000000000'],
  ['::1', '00000000000000000000000000000001'],
  ['fd00::', 'fd000000000000000000000000000000'],
  ['2001:DB8::a:0:1', '20010db8000000000000000a00000001'],
  ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
  ['::ffff:10.0.0.1', '00000000000000000000ffff0a000001'],
  ['64:ff9b::192.0.2.33', '0064ff9b0000000000000000c0000221'],
] as const)('reads %s', ([text, expected]) => {
  expect(ipAddressBytes(text)?.toString('hex')).toBe(expected)
})

const NO_IPV4 = ['1.2.3', '1.2.3.4.5', '256.1.1.1', '01.2.3.4', '1.2.3.4/8', ' 1.2.3.4']
const NO_IPV6 = ['[::1]', ':::', '1::2::3', 'fe80::1%eth0']

test.for(['', 'localhost', ...NO_IPV4, ...NO_IPV6])('takes "%s" for no address', (text) => {
  expect(ipAddressBytes(text)).toBeUndefined()
})

test('formats an address that parses to the same bytes', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const bytes = ipAddressBytes(text) ?? Buffer.alloc(0)
      const formatted = formatIpAddress(bytes)

      expect(bytes).toHaveLength(isIPv4(text) ? 4 : 16)
      expect(isIPv4(formatted) || isIPv6(formatted)).toBe(true)
      expect(ipAddressBytes(formatted)).toEqual(bytes)
    }),
  )
})

test('writes IPv6 addresses in their canonical form', () => {
  const bytes = ipAddressBytes('2001:0DB8:0:0:0:0:0:1') ?? Buffer.alloc(0)

  expect(formatIpAddress(bytes)).toBe('2001:db8::1')
})
