import * as fc from 'fast-check'
import { parse } from 'yaml'
import { expect, test } from 'vitest'
import {
  formatBlock,
  formatFlow,
  quote,
  type Value,
} from '../../../src/kubeconfig/text/yaml-text.ts'

const values = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: 'binary' }),
    fc.boolean(),
    fc.integer(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value

test('quotes every string for JSON and both versions of YAML', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const quoted = quote(text)

      expect(JSON.parse(quoted)).toBe(text)
      expect(parse(quoted)).toBe(text)
      expect(parse(quoted, { version: '1.1' })).toBe(text)
    }),
  )
})

test('writes no character that YAML 1.1 forbids or breaks lines at', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      // What go-yaml's reader lets pass, without its line breaks.
      expect(quote(text)).toMatch(
        /^[\u0020-\u007E\u00A0-\u2027\u202A-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD\u{10000}-\u{10FFFF}]*$/u,
      )
    }),
  )
})

test.for([
  ['\u0085', String.raw`"\u0085"`],
  ['\u2028', String.raw`"\u2028"`],
  ['\uFEFF', String.raw`"\ufeff"`],
  ['\u007F', String.raw`"\u007f"`],
  ['\u202E', String.raw`"\u202e"`],
  ['\uD800', '"\uFFFD"'],
  ['a\nb\t"\\', String.raw`"a\nb\t\"\\"`],
  ['ü😀', '"ü😀"'],
] as const)('quotes %j as %s', ([text, expected]) => {
  expect(quote(text)).toBe(expected)
})

test('writes values on one line that JSON and YAML read back', () => {
  fc.assert(
    fc.property(values, (value) => {
      const text = formatFlow(value)

      expect(text).not.toContain('\n')
      expect(JSON.parse(text)).toEqual(value)
      expect(parse(text)).toEqual(value)
    }),
  )
})

test('writes values in block style that YAML reads back at any indentation', () => {
  fc.assert(
    fc.property(values, fc.nat(4), (value, indent) => {
      const lines = formatBlock({ value }).map((line) => ' '.repeat(indent) + line)

      expect(parse(lines.join('\n'))).toEqual({ value })
    }),
  )
})

test('writes lists in mappings as kubectl does', () => {
  const lines = formatBlock({ a: [{ b: 'x', c: [1, 2] }, {}], d: { e: [] }, f: undefined })

  expect(lines).toEqual(['a:', '- b: "x"', '  c:', '  - 1', '  - 2', '- {}', 'd:', '  e: []'])
})
