import { expect, test } from 'vitest'
import {
  copiedFields,
  type FieldDecisions,
  refusedFields,
} from '../../../src/syncer/translate/field-decisions.ts'

const DECISIONS: FieldDecisions = {
  spec: {
    size: 'copy',
    node: 'translate',
    status: 'drop',
    path: 'refuse: is not possible in a plane',
    parts: { name: 'copy', owner: 'translate', root: 'refuse: is of the host' },
    empty: { medium: 'copy' },
    selector: { labels: 'translate' },
  },
}

test('copies what is to be the same, and leaves the rest to others', () => {
  const spec = { size: 0, node: 'a', status: 'ok', selector: { labels: { a: 'b' } }, empty: {} }
  const parts = [{ name: 'one', owner: 'x' }, { owner: 'y' }]

  expect(copiedFields(DECISIONS, { spec: { ...spec, parts } })).toEqual({
    spec: { size: 0, empty: {}, parts: [{ name: 'one' }, {}] },
  })
})

test('says which fields the host must not have, by their paths', () => {
  const parts = [{ name: 'one', root: '/' }, { root: '/' }]

  expect(refusedFields(DECISIONS, { spec: { path: '/', parts } })).toEqual([
    'spec.path is not possible in a plane',
    'spec.parts[one].root is of the host',
    'spec.parts[1].root is of the host',
  ])
})

test.for([
  ['field', { future: 1 }, 'future is unknown'],
  ['field of a list', { spec: { parts: [{ future: 1 }] } }, 'spec.parts[0].future is unknown'],
  ['name of JavaScript', { constructor: 1 }, 'constructor is unknown'],
] as const)('neither copies an undecided %s nor lets it pass', ([, object, refusal]) => {
  expect(refusedFields(DECISIONS, object)).toEqual([expect.stringContaining(refusal)])
  expect(JSON.stringify(copiedFields(DECISIONS, object))).not.toContain('1')
})

test.for([undefined, null, []])('takes %j for a missing field', (value) => {
  expect(refusedFields(DECISIONS, { future: value, spec: { path: value } })).toEqual([])
  expect(copiedFields(DECISIONS, { spec: { size: value } })).toEqual({ spec: {} })
})

test('passes nothing on of a value that is no record where one belongs', () => {
  const object = { spec: { parts: ['text', 5], empty: 'text' } }

  expect(copiedFields(DECISIONS, object)).toEqual({ spec: { parts: [{}, {}], empty: {} } })
})
