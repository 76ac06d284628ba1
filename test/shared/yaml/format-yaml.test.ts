import { expect, test } from 'vitest'
import { formatYaml, parseYaml } from '../../../src/shared/yaml/yaml.ts'

test('quotes strings, so that every reader reads strings', () => {
  expect(formatYaml({ a: 'yes', b: '012', c: 1, d: true })).toBe(
    'a: "yes"\nb: "012"\nc: 1\nd: true\n',
  )
})

test('writes texts of several lines as they are', () => {
  expect(formatYaml({ file: '{\n  "a": 1\n}\n', end: 'no newline\nhere' })).toBe(
    'file: |\n  {\n    "a": 1\n  }\nend: |-\n  no newline\n  here\n',
  )
})

const LINE_ENDS = ['a\n', '\n', '\n\na', 'a\r\nb', 'a\n\n\n', '# no comment\n--- no document\n']
const SPACES = ['  indented\nfirst', 'trailing \nspace ', 'tab\n\tin front']

test.for([...LINE_ENDS, ...SPACES])('gives %j back when it is read', (text) => {
  const value = { text, list: [text], after: 1 }

  expect(parseYaml(formatYaml(value), 'test')).toEqual(value)
})

test('writes a value that occurs twice as two values', () => {
  const labels = { a: 'b' }

  expect(formatYaml({ one: labels, two: labels })).not.toMatch(/[&*]/)
})
