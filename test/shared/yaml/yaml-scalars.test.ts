import { expect, test } from 'vitest'
import { replaceScalars } from '../../../src/shared/yaml/yaml-scalars.ts'
import { thrownBy } from '../../support/thrown-by.ts'

/** The values of a text in which every text is in capitals. */
const shout = (text: string) =>
  replaceScalars({ source: 'a.yaml', text }, (scalar) => scalar.toUpperCase())

test('replaces strings, however they are quoted, and nothing else', () => {
  const text = `a: plain\nb: "double"\nc: 'single'\nd: |\n  block\ne: 5\nf: true\ng: null\nh: [x, 1]\n`

  expect(shout(text)).toEqual([
    { a: 'PLAIN', b: 'DOUBLE', c: 'SINGLE', d: 'BLOCK\n', e: 5, f: true, g: null, h: ['X', 1] },
  ])
})

test('keeps values of any type as they are', () => {
  const value = { list: [1, { deep: 'text: [not, yaml]' }], yes: false }

  expect(replaceScalars({ source: 'a.yaml', text: 'a: x\nb:\n  - x\n' }, () => value)).toEqual([
    { a: value, b: [value] },
  ])
})

test('removes fields and items whose value is undefined, at any depth', () => {
  const text = 'a: x\nb:\n  c: x\n  d: 1\ne: [x, 2]\n'

  expect(replaceScalars({ source: 'a.yaml', text }, () => undefined)).toEqual([
    { b: { d: 1 }, e: [2] },
  ])
})

test('knows the line of every text', () => {
  const lines: string[] = []
  const text = '# head\na: one\n\nb:\n  - two\n---\nc: three\n'
  replaceScalars({ source: 'a.yaml', text }, (scalar, line) => lines.push(`${scalar} ${line}`))

  expect(lines).toEqual(['one 2', 'two 5', 'three 7'])
})

test('reads several documents, and skips empty ones', () => {
  expect(shout('a: x\n---\n# nothing\n---\nb: y\n')).toEqual([{ a: 'X' }, { b: 'Y' }])
  expect(shout('# nothing\n')).toEqual([])
  expect(shout('')).toEqual([])
})

test('names the place where a text is not YAML', () => {
  const message = expect.stringMatching(/^cannot read a\.yaml: .*line 2/)

  expect(thrownBy(() => shout('a: [1\n'))).toMatchObject({ code: 'INVALID_SPEC', message })
})
