import { expect, test } from 'vitest'
import { compareEdits } from '../../../src/kubeconfig/text/compare-edits.ts'
import { parseKubeconfig } from '../../../src/kubeconfig/text/kubeconfig-text.ts'
import { removeContext } from '../../../src/kubeconfig/contexts/remove-context.ts'
import { setContext } from '../../../src/kubeconfig/contexts/set-context.ts'
import { execEntry } from '../entries.ts'

const names = Array.from({ length: 9 }, (_, index) => `c${index}`)
const TEXT = `clusters:\n${names.map((name) => `- name: ${name}\n  cluster: {}\n`).join('')}x: 1\n`
const document = parseKubeconfig(TEXT)

test('shows what an edit changes, without the entries far from it', () => {
  const start = TEXT.indexOf('c4')

  const said = compareEdits(document, [{ start, end: start + 2, text: 'new' }])

  expect(namesIn(said?.before)).toEqual(['c0', 'c4', 'c8'])
  expect(namesIn(said?.after)).toEqual(['c0', 'new', 'c8'])
  expect(said?.after['x']).toBe(1)
})

test.for([
  ['a quote that is not closed', '"c4'],
  ['an entry without indentation', 'c4\nnew: 1'],
  ['a comment that hides the rest', 'c4 #'],
] as const)('sees the damage of %s', ([, text]) => {
  const start = TEXT.indexOf('c4')

  const said = compareEdits(document, [{ start, end: start + 2, text }])

  expect(said?.after).not.toEqual({ ...said?.before, clusters: [] })
  expect(namesIn(said?.after) ?? []).not.toEqual(['c0', 'new', 'c8'])
})

test('leaves out nothing that an alias may need', () => {
  const aliased = TEXT.replace('name: c4', 'name: &a c4').replace('x: 1', 'x: *a')
  const edit = { start: aliased.length, end: aliased.length, text: 'y: 2\n' }

  const said = compareEdits(parseKubeconfig(aliased), [edit])

  expect(namesIn(said?.before)).toEqual(names)
  expect(said?.after).toEqual({ ...said?.before, y: 2 })
})

test('says when the text is no kubeconfig any more', () => {
  expect(compareEdits(document, [{ start: 0, end: 0, text: '- a\n' }])).toBeUndefined()
})

test('lets a file of many entries be edited and restored', () => {
  const connected = setContext(TEXT, execEntry('dev'))

  expect(connected.match(/- name: c\d\n/g)).toHaveLength(names.length)
  expect(removeContext(connected, 'vplane_dev')).toBe(TEXT)
})

function namesIn(data: Record<string, unknown> | undefined): unknown[] | undefined {
  const clusters = data?.['clusters']
  return Array.isArray(clusters)
    ? clusters.map((entry: { name: unknown }) => entry.name)
    : undefined
}
