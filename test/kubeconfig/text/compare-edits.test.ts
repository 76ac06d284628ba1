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

  const compared = compareEdits(document, [{ start, end: start + 2, text: 'new' }])

  expect(namesIn(compared.before)).toEqual(['c0', 'c4', 'c8'])
  expect(namesIn(compared.after)).toEqual(['c0', 'new', 'c8'])
  expect(compared.after?.['x']).toBe(1)
})

test.for([
  ['a quote that is not closed', '"c4'],
  ['an entry without indentation', 'c4\nnew: 1'],
  ['a comment that hides the rest', 'c4 #'],
] as const)('detects the damage of %s', ([, text]) => {
  const start = TEXT.indexOf('c4')

  const compared = compareEdits(document, [{ start, end: start + 2, text }])

  expect(compared.after).not.toEqual({ ...compared.before, clusters: [] })
  expect(namesIn(compared.after) ?? []).not.toEqual(['c0', 'new', 'c8'])
})

test('leaves out nothing that an alias may need', () => {
  const aliased = TEXT.replace('name: c4', 'name: &a c4').replace('x: 1', 'x: *a')
  const edit = { start: aliased.length, end: aliased.length, text: 'y: 2\n' }

  const compared = compareEdits(parseKubeconfig(aliased), [edit])

  expect(namesIn(compared.before)).toEqual(names)
  expect(compared.after).toEqual({ ...compared.before, y: 2 })
})

test('reports a text that is no longer a kubeconfig', () => {
  expect(compareEdits(document, [{ start: 0, end: 0, text: '- a\n' }]).after).toBeUndefined()
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
