import { parse, stringify } from 'yaml'
import { expect, test } from 'vitest'
import { removeContext } from '../../../src/kubeconfig/contexts/remove-context.ts'
import { setContext } from '../../../src/kubeconfig/contexts/set-context.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { execEntry } from '../entries.ts'
import { currentContextIn, parseKubeconfig } from '../../../src/kubeconfig/text/kubeconfig-text.ts'

const FILE = `contexts:
- name: kind
  context: {cluster: kind, user: kind}
- name: other
  context: {cluster: kind, user: kind}
current-context: kind
clusters: null
users: []
`

const connected = setContext(FILE, execEntry('dev'))

test('leaves a text without such a context as it is', () => {
  expect(removeContext(FILE, 'vplane_dev')).toBe(FILE)
  expect(removeContext(connected, 'vplane_prod')).toBe(connected)
  expect(removeContext('', 'vplane_dev')).toBe('')
})

test('keeps entries of the name that vplane did not write', () => {
  const foreign = `contexts:
- name: vplane_dev
  context: {}
current-context: vplane_dev
users:
- name: vplane_dev
  user: {}
`

  expect(removeContext(foreign, 'vplane_dev')).toBe(foreign)
})

test('removes the cluster and the user of a context that `kubectl config rename-context` renamed', () => {
  const renamed = connected
    .replace(/(contexts:[^]*?- name: )"?vplane_dev"?/, '$1work')
    .replace('current-context: "vplane_dev"', 'current-context: work')

  const text = removeContext(renamed, 'work')

  expect(renamed).not.toBe(connected)
  expect(parse(text)).toMatchObject({ clusters: null, users: [] })
  expect(parse(text).contexts).toEqual(parse(FILE).contexts)
})

test('keeps the cluster and the user of a renamed context that another context has too', () => {
  const copy = '- name: copy\n  context: {cluster: vplane_dev, user: vplane_dev}\n'
  const shared = connected
    .replace(/(contexts:[^]*?- name: )"?vplane_dev"?/, '$1work')
    .replace('contexts:\n', `contexts:\n${copy}`)

  const text = removeContext(shared, 'work')

  const mine = [expect.objectContaining({ name: 'vplane_dev' })]
  expect(parse(text)).toMatchObject({ clusters: mine, users: mine })
})

test('keeps the current context when it has changed since', () => {
  const switched = connected.replace('current-context: "vplane_dev"', 'current-context: other')

  expect(removeContext(switched, 'vplane_dev')).toBe(FILE.replace(': kind\ncl', ': other\ncl'))
})

test('returns to no context when the previous one no longer exists', () => {
  const gone = connected.replace('- name: kind', '- name: renamed')

  const left = FILE.replace('- name: kind', '- name: renamed').replace(': kind\ncl', ': ""\ncl')
  expect(removeContext(gone, 'vplane_dev')).toBe(left)
})

test('returns to a context of another file', () => {
  const text = 'current-context: elsewhere\n'
  const set = setContext(text, execEntry('dev'), { knownContexts: ['elsewhere'] })

  expect(removeContext(set, 'vplane_dev', { knownContexts: ['elsewhere'] })).toBe(text)
  expect(removeContext(set, 'vplane_dev')).toBe('current-context: ""\n')
})

test('resets a current context whose entries lie in another file', () => {
  const text = 'current-context: vplane_dev # mine\n'
  const known = { knownContexts: ['kind', 'vplane_dev'] }

  expect(removeContext(text, 'vplane_dev', { ...known, previousContext: 'kind' })).toBe(
    'current-context: "kind" # mine\n',
  )
  expect(removeContext(text, 'vplane_dev', known)).toBe('current-context: "" # mine\n')
})

test('works on a file that another program has written again', () => {
  const data: Record<string, unknown> = parse(connected)
  const rewritten = stringify(Object.fromEntries(Object.entries(data).toReversed()))

  const text = removeContext(rewritten, 'vplane_dev')

  expect(rewritten).not.toBe(connected)
  expect(parse(text)).toEqual(parse(FILE))
})

test('works when the recorded undo does not fit any more', () => {
  const text = 'x: &c kind\ncontexts:\n- name: kind\ncurrent-context: *c\n'
  const rewritten = stringify(parse(setContext(text, execEntry('dev'))))

  const removed = removeContext(rewritten, 'vplane_dev')

  expect(rewritten).toContain('*c')
  expect(parse(removed)).toEqual({
    x: 'kind',
    contexts: [{ name: 'kind' }],
    'current-context': 'kind',
    clusters: [],
    users: [],
  })
})

const FORGED = [' kind\nusers: [{name: evil}]', ' kind\nx: 1', ' "kind', ' other', '', ' {a: b}']

test.for(FORGED)('does not change anything else because of a recorded %j', (raw) => {
  const json = JSON.stringify(parse(connected))
  const forged = json.replace('" kind"', JSON.stringify(raw))

  const text = removeContext(forged, 'vplane_dev')

  expect(json).toContain('" kind"')
  expect(parse(text)).toEqual({ ...parse(FILE), clusters: [], 'current-context': 'kind' })
})

test('keeps what was written around its entries in the meantime', () => {
  const edited = connected
    .replace('clusters:\n', 'clusters:\n# a note\n')
    .replace('users:\n', 'users:\n- name: new\n  user: {}\n# another note\n')

  expect(removeContext(edited, 'vplane_dev')).toBe(
    FILE.replace('clusters: null\n', 'clusters: null\n# a note\n').replace(
      'users: []\n',
      'users:\n- name: new\n  user: {}\n# another note\n',
    ),
  )
})

test('keeps comments between entries in flow style', () => {
  const text = '{"users": [{"name": "a"}], "contexts": [], "clusters": []}'
  const commented = setContext(text, execEntry('dev')).replace(
    '{"name": "a"},',
    '{"name": "a"}, # about a\n',
  )

  const removed = removeContext(commented, 'vplane_dev')

  expect(removed).toContain('[{"name": "a"} # about a\n')
  expect(parse(removed)).toEqual(parse(text))
})

test('removes its first entry in flow style when others follow it', () => {
  const text = setContext('{"users": [], "contexts": [], "clusters": []}', execEntry('dev'))
  const grown = text.replace(/("users": \[.*?)\], "contexts"/, '$1, {"name": "b"}], "contexts"')

  expect(parse(removeContext(grown, 'vplane_dev'))).toMatchObject({ users: [{ name: 'b' }] })
})

test('removes its cluster and user when the context is gone already', () => {
  const context = /- name: "vplane_dev"\n {2}context:[^]*?(?=^current-context)/m
  const orphaned = connected.replace(context, '')

  const text = removeContext(orphaned, 'vplane_dev')

  expect(orphaned.match(/- name: "vplane_dev"/g)).toHaveLength(2)
  expect(parse(text)).toEqual({ ...parse(FILE), clusters: [], 'current-context': '' })
})

test('removes a context whose record is damaged', () => {
  const damaged = connected.replace('        plane: "dev"\n', '')

  expect(parse(removeContext(damaged, 'vplane_dev'))).toEqual({
    ...parse(FILE),
    clusters: [],
    'current-context': '',
  })
})

test('refuses what a newer vplane wrote', () => {
  const newer = connected.replaceAll('formatVersion: 1', 'formatVersion: 99')

  expect(thrownBy(() => removeContext(newer, 'vplane_dev')).code).toBe('UNSUPPORTED')
})

test('returns through a chain of contexts to the first one', () => {
  const chain = setContext(setContext(connected, execEntry('prod')), execEntry('test'))

  const middle = removeContext(chain, 'vplane_prod')
  const last = removeContext(middle, 'vplane_test')

  expect(currentContextIn(parseKubeconfig(middle).data)).toBe('vplane_test')
  expect(last).toBe(connected)
})

test('does not loop after switches between planes', () => {
  const both = setContext(connected, execEntry('prod'))
  const again = setContext(both, execEntry('dev'))

  const prod = removeContext(again, 'vplane_dev')

  expect(currentContextIn(parseKubeconfig(prod).data)).toBe('vplane_prod')
  expect(removeContext(prod, 'vplane_prod')).toBe(FILE)
})
