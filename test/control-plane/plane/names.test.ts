import { assert, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { parseName } from '../../../src/control-plane/plane/names.ts'
import { thrownBy } from '../../support/thrown-by.ts'

test.for(['a', '0', 'dev', 'dev-1', '1-dev', 'a--b', 'x'.repeat(40), '123'])('takes %j', (name) => {
  expect(parseName(name)).toBe(name)
})

test.for([
  ['', 'lower-case letters'],
  ['Dev', 'lower-case letters'],
  ['-dev', 'must start and end with a letter or digit'],
  ['dev-', 'must start and end with a letter or digit'],
  ['dev_1', 'lower-case letters'],
  ['dev.1', 'lower-case letters'],
  ['..', 'lower-case letters'],
  ['../../etc', 'lower-case letters'],
  ['a/b', 'lower-case letters'],
  ['dev\n', 'lower-case letters'],
  ['dev\0', 'lower-case letters'],
  ['dev name', 'lower-case letters'],
  ['--help', 'lower-case letters'],
  ['dév', 'lower-case letters'],
  ['ⅷ', 'lower-case letters'],
  ['__proto__', 'lower-case letters'],
  ['$(id)', 'lower-case letters'],
  ['x'.repeat(41), 'has 41 characters, at most 40'],
  ['X'.repeat(100_000), 'has 100000 characters'],
] as const)('refuses %j', ([name, reason]) => {
  const error = thrownBy(() => parseName(name))

  expect(error).toMatchObject({ code: 'INVALID_NAME', exitCode: 2 })
  expect(error.message).toContain(reason)
})

test.for([
  ['My Plane', 'my-plane'],
  ['dev_1', 'dev-1'],
  ['-dev-', 'dev'],
  ['a/../b', 'a-b'],
  [`${'x'.repeat(39)}-y`, 'x'.repeat(39)],
] as const)('suggests for "%s" the name "%s"', ([name, suggestion]) => {
  expect(thrownBy(() => parseName(name)).hints).toEqual([`try "${suggestion}"`])
})

test.for(['', '___', 'é', '日本'])('has no suggestion for %j', (name) => {
  expect(thrownBy(() => parseName(name)).hints).toEqual([])
})

test('whatever it suggests is a name', () => {
  assert(
    property(string({ unit: 'binary', maxLength: 60 }), (text) => {
      const name = parsed(text)
      expect(name).toMatch(/^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$|^$/)
    }),
  )
})

/** The name, or the one that is suggested instead; empty when there is none. */
function parsed(text: string): string {
  try {
    return parseName(text)
  } catch {
    const [hint = ''] = thrownBy(() => parseName(text)).hints
    return hint === '' ? '' : parseName(/^try "(.*)"$/s.exec(hint)?.[1] ?? 'not a hint')
  }
}
