import { expect, test } from 'vitest'
import { parseSpec } from '../../../src/control-plane/spec/parse-spec.ts'
import { readSpecDocument, readSpecs } from '../../../src/cli/request/spec-documents.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const source = (...lines: string[]) => ({ path: 'planes.yaml', text: lines.join('\n') })
const read = (...lines: string[]) =>
  readSpecs(source(...lines), (document) => parseSpec({ file: document }))

test('reads the specs of several planes, without empty documents', () => {
  const specs = read(
    '# the planes of the shop',
    '---',
    '$schema: https://example.com/schema.json',
    'name: web',
    'labels: { team: shop }',
    '---',
    '# nothing yet',
    '---',
    'name: api',
    'version: "1.35"',
    '---',
  )

  expect(specs).toEqual([
    { name: 'web', label: 'document 1 "web"', userSpec: { labels: { team: 'shop' } } },
    { name: 'api', label: 'document 3 "api"', userSpec: { version: '1.35' } },
  ])
})

test.for([
  [['ephemeral: true'], { userSpec: { ephemeral: true } }],
  [['---', 'name: dev', '---', ''], { name: 'dev', userSpec: {} }],
  [['{ "name": "dev", "ephemeral": true }'], { name: 'dev', userSpec: { ephemeral: true } }],
  [['# nothing'], { userSpec: {} }],
  [[''], { userSpec: {} }],
] as const)('reads the spec of one plane, whose name may be elsewhere: %j', ([lines, spec]) => {
  expect(read(...lines)).toEqual([spec])
})

test('names each wrong document by number and name, and its line in the file', () => {
  const error = thrownBy(() =>
    read(
      'name: web',
      'apiSever: {}',
      '---',
      'ephemeral: true',
      '---',
      'name: web',
      '---',
      'name: Api',
      '---',
      'name: good',
      '---',
      'name: last',
      'etcd: { goGc: 5 }',
      'version: 1.35',
    ),
  )

  expect(error).toMatchObject({ code: 'INVALID_SPEC', hints: ['vplane explain'] })
  expect(error.message.split('\n')).toEqual([
    'document 1 "web": planes.yaml:2:1: unknown field "apiSever": did you mean "apiServer"?',
    'document 2: planes.yaml:4:1: "name" is missing',
    'document 3 "web": planes.yaml:6:1: document 1 has the same name',
    expect.stringMatching(/^document 4 "Api": the name "Api" may only contain lower-case letters/),
    'document 6 "last": planes.yaml:13:9: etcd.goGc: must be at least 10',
    'document 6 "last": planes.yaml:14:1: version: must be a string: put it in quotes, such as "1.36"',
  ])
})

test('names documents that are not YAML or not fields, and names that are no text', () => {
  const broken = thrownBy(() => read('name: web', '---', 'name: [', '---', 'name: 5'))
  const others = thrownBy(() => read('name: web', '---', '- a'))

  expect(broken.message).toMatch(/^document 2: planes\.yaml:\d+:\d+: not valid YAML: /)
  expect(broken.message).toContain('document 3: planes.yaml:5:1: name: must be a string')
  expect(others.message).toBe(
    'document 2: planes.yaml is not a spec: it contains a list, not fields',
  )
})

test('throws what is wrong with flags once, and not for each document', () => {
  const error = thrownBy(() =>
    readSpecs(source('name: a', '---', 'name: b'), () => {
      throw new VplaneError('USAGE', '"x" is not of the form path=value')
    }),
  )

  expect(error).toMatchObject({ code: 'USAGE', message: '"x" is not of the form path=value' })
})

test('one spec is wanted where a command is about one plane', () => {
  const document = readSpecDocument(source('name: dev', 'ephemeral: true'))
  const error = thrownBy(() => readSpecDocument(source('name: a', '---', 'name: b')))

  expect(document).toMatchObject({ name: 'dev', value: { ephemeral: true } })
  expect(error.message).toBe(
    'planes.yaml:2:1: a second YAML document begins here, and only one is read',
  )
})
