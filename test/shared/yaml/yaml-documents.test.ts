import { expect, test } from 'vitest'
import { parseYamlDocuments } from '../../../src/shared/yaml/yaml.ts'

test('reads every document, empty ones as null', () => {
  expect(parseYamlDocuments('---\na: 1\n---\n---\n# nothing\n---\nb: [2]\n...\n', 'x')).toEqual([
    { a: 1 },
    null,
    null,
    { b: [2] },
  ])
})

test('reads nothing from an empty text', () => {
  expect(parseYamlDocuments('', 'x')).toEqual([])
})

test('reads JSON', () => {
  expect(parseYamlDocuments('{"a": ["\\u00fc", 1e3, null, true]}', 'x')).toEqual([
    { a: ['ü', 1000, null, true] },
  ])
})

test.for([
  ['yes', true],
  ['off', false],
  ['0644', 420],
  ['"yes"', 'yes'],
  ['12:30:45', '12:30:45'],
  ['2026-01-01', '2026-01-01'],
  ['2026-01-01T10:00:00Z', '2026-01-01T10:00:00Z'],
  ['1.10', 1.1],
  ['v1', 'v1'],
] as const)('reads %s as kubectl does', ([text, value]) => {
  expect(parseYamlDocuments(`a: ${text}`, 'x')).toEqual([{ a: value }])
})

test('names source, document, line and reason of what is not YAML, on one line', () => {
  const parse = () => parseYamlDocuments('a: 1\n---\nb: [\n---\nc: 2\n', '"x.yaml"')

  const message = /^cannot read "x\.yaml", document 2: [^\n]+ at line 4, column 1$/
  expect(parse).toThrow(
    expect.objectContaining({ code: 'INVALID_SPEC', message: expect.stringMatching(message) }),
  )
})

test.for([
  ['a key that is there twice', 'a: 1\na: 2'],
  ['a template of a chart', '{{- if .Values.crds }}\na: 1\n{{- end }}'],
  ['aliases that multiply', bomb()],
] as const)('refuses %s', ([, text]) => {
  expect(() => parseYamlDocuments(text, 'x')).toThrow(
    expect.objectContaining({ code: 'INVALID_SPEC' }),
  )
})

/** Ten lists of ten of the one before. */
function bomb(): string {
  const lines = ['a0: &a0 x']
  for (let index = 1; index < 10; index += 1) {
    const aliases = Array.from({ length: 10 }, () => `*a${index - 1}`)
    lines.push(`a${index}: &a${index} [${aliases.join(', ')}]`)
  }
  return lines.join('\n')
}
