import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatIpAddress, ipAddressBytes } from '../../../src/pki/x509/ip-address.ts'
import { apiServerSans, hasExactSans } from '../../../src/pki/plane/server-sans.ts'
import { leafOf, read } from '../fixtures.ts'

const SANS = ['localhost', 'kubernetes.default.svc', '127.0.0.1', '::1', 'fd00::a']
const DEFAULTS = { serviceRange: '10.96.0.0/16', clusterDomain: 'cluster.local', extraSans: [] }

test('names the Service, loopback and the first address of the range', () => {
  expect(apiServerSans(DEFAULTS)).toEqual([
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    'localhost',
    '127.0.0.1',
    '::1',
    '10.96.0.1',
  ])
})

test('adds the names of the user once, after its own', () => {
  const extraSans = ['localhost', 'api.example.com', '10.96.0.1', 'api.example.com', '192.0.2.7']

  const sans = apiServerSans({ ...DEFAULTS, extraSans })

  expect(sans.slice(7)).toEqual(['10.96.0.1', 'api.example.com', '192.0.2.7'])
})

test('follows the domain of the plane', () => {
  const sans = apiServerSans({ ...DEFAULTS, clusterDomain: 'plane.internal' })

  expect(sans).toContain('kubernetes.default.svc.plane.internal')
  expect(sans.filter((san) => san.includes('cluster.local'))).toEqual([])
})

test.for([
  ['10.96.0.0/12', '10.96.0.1'],
  ['10.96.255.255/16', '10.96.0.1'],
  ['10.100.37.9/20', '10.100.32.1'],
  ['192.168.1.200/29', '192.168.1.201'],
  ['10.0.0.0/8', '10.0.0.1'],
  ['172.30.5.6/0', '0.0.0.1'],
  ['fd00:10:96::/112', 'fd00:10:96::1'],
  ['fd00::ffff:ffff/108', 'fd00::fff0:1'],
] as const)('takes of %s the address %s', ([serviceRange, expected]) => {
  expect(apiServerSans({ ...DEFAULTS, serviceRange })[7]).toBe(expected)
})

const PREFIXES = ['', '/', '/30', '/33', '/-1', '/1e1', '/ 8'].map((prefix) => `10.96.0.0${prefix}`)
const ADDRESSES = ['', '999.96.0.0/16', 'fd00::/126', 'kubernetes/16']

test.for([...PREFIXES, ...ADDRESSES])(
  'refuses the range %j with one that works',
  (serviceRange) => {
    expect(() => apiServerSans({ ...DEFAULTS, serviceRange })).toThrow(
      expect.objectContaining({
        code: 'INVALID_SPEC',
        message: `the service range "${serviceRange}" is not an IP range of 8 addresses or more`,
        hints: ['try "10.96.0.0/16"'],
      }),
    )
  },
)

test('finds the same address from every address of a range', () => {
  const ranges = fc.tuple(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 29 }))
  fc.assert(
    fc.property(ranges, ([network, host, prefix]) => {
      const address = merged(network, host, prefix)

      // Names occur once: the first address of 127.0.0.0/8 is that of loopback.
      const first = (base: string) =>
        apiServerSans({ ...DEFAULTS, serviceRange: `${base}/${prefix}` })[7] ?? '127.0.0.1'

      expect(first(address)).toBe(first(network))
      expect(first(network)).toBe(merged(network, '0.0.0.1', prefix))
    }),
  )
})

test('returns names that a certificate accepts', () => {
  const sans = apiServerSans({ ...DEFAULTS, extraSans: ['api.example.com'] })

  const leaf = read(leafOf({ sans }).certificate)

  expect(leaf.checkHost('kubernetes.default.svc.cluster.local')).toBeDefined()
  expect(leaf.checkHost('api.example.com')).toBeDefined()
  expect(leaf.checkIP('10.96.0.1')).toBeDefined()
  expect(leaf.checkIP('::1')).toBeDefined()
})

/** The first bits of one address, the others of another. */
function merged(network: string, host: string, prefix: number): string {
  const bits = [network, host].map((address) =>
    [...(ipAddressBytes(address) ?? [])].map((byte) => byte.toString(2).padStart(8, '0')).join(''),
  )
  const all = (bits[0] ?? '').slice(0, prefix) + (bits[1] ?? '').slice(prefix)
  return formatIpAddress(Buffer.from((all.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2))))
}

test.for([
  ['the same names', SANS, true],
  ['the same names in another order', SANS.toReversed(), true],
  ['one name more', [...SANS, 'api.test'], false],
  ['one address more', [...SANS, '10.0.0.1'], false],
  ['one name less', SANS.slice(1), false],
  ['another name', ['other', ...SANS.slice(1)], false],
] as const)('checks whether a certificate is valid for %s', ([, sans, expected]) => {
  const { certificate } = leafOf({ sans: SANS })

  expect(hasExactSans(certificate, sans)).toBe(expected)
})
