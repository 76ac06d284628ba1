import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { toHostName } from '../../../src/shared/network/host-name.ts'

test.for([
  ['localhost', 'localhost'],
  ['kubernetes.default.svc', 'kubernetes.default.svc'],
  ['API.Example.COM', 'api.example.com'],
  ['*.example.com', '*.example.com'],
  ['etcd_0.svc', 'etcd_0.svc'],
  ['1password.com', '1password.com'],
  ['x', 'x'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['*.Ü.example', '*.xn--tda.example'],
  [`${'a'.repeat(63)}.b`, `${'a'.repeat(63)}.b`],
] as const)('takes %s as %s', ([text, expected]) => {
  expect(toHostName(text)).toBe(expected)
})

const EMPTY_LABELS = ['', '.', 'a..b', '.a', 'a.', 'ü..x']
const CHARACTERS = ['-a', 'a-', 'a b', 'a\n', 'a\u0000b', 'a/b', 'https://a', 'a:443', '[::1]']
const WILDCARDS = ['*', '*.*.a', 'a.*.b', 'a*.b']
const NUMBERS = ['1.2.3', '256.1.1.1', '１.2.3.4', 'a.123', '0x7f.1']
const TOO_LONG = [`${'a'.repeat(64)}.b`, Array.from({ length: 64 }, () => 'abc').join('.')]
const REFUSED = [EMPTY_LABELS, CHARACTERS, WILDCARDS, NUMBERS, TOO_LONG].flat()

test.for(REFUSED)('refuses %j', (text) => {
  expect(toHostName(text)).toBeUndefined()
})

test('returns only plain DNS names for any input', () => {
  const hostile = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
  fc.assert(
    fc.property(hostile, (text) => {
      expect(toHostName(text) ?? 'none').toMatch(/^(\*\.)?[a-z0-9_.-]{1,253}$/)
    }),
  )
})

test('gives a name back as it is once it has the form', () => {
  fc.assert(
    fc.property(fc.domain(), (domain) => {
      const name = toHostName(domain)

      expect(name).toBe(domain.toLowerCase())
      expect(toHostName(name ?? '')).toBe(name)
    }),
  )
})
