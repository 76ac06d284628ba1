import { expect, test } from 'vitest'
import { setContext } from '../../../src/kubeconfig/contexts/set-context.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { embeddedEntry, execEntry } from '../entries.ts'

const FILE = `# my clusters
apiVersion: v1
kind: Config
clusters:
- cluster:
    server: https://kind:6443   # local
    x-vendor: {a: [1, 2]}
  name: kind
contexts:
- context:
    cluster: kind
    user: kind
  name: kind
current-context: kind # the usual one
users:
- name: kind
  user: {}
preferences: {}
`

test('adds entries behind the others and touches nothing else', () => {
  expect(setContext(FILE, execEntry('dev'))).toBe(`# my clusters
apiVersion: v1
kind: Config
clusters:
- cluster:
    server: https://kind:6443   # local
    x-vendor: {a: [1, 2]}
  name: kind
- name: "vplane_dev"
  cluster:
    server: "https://127.0.0.1:20443"
    certificate-authority-data: "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tClkyRT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo="
    extensions:
    - name: "vplane.dev/context"
      extension:
        formatVersion: 1
contexts:
- context:
    cluster: kind
    user: kind
  name: kind
- name: "vplane_dev"
  context:
    cluster: "vplane_dev"
    user: "vplane_dev"
    extensions:
    - name: "vplane.dev/context"
      extension:
        formatVersion: 1
        writtenBy: "0.1.0"
        plane: "dev"
        driver: "local"
        previousContext: "kind"
        undo:
          replaced:
            current-context: " kind"
current-context: "vplane_dev" # the usual one
users:
- name: kind
  user: {}
- name: "vplane_dev"
  user:
    exec:
      apiVersion: "client.authentication.k8s.io/v1"
      command: "/opt/vplane-credential"
      args:
      - "local"
      - "dev"
      installHint: "vplane wrote this context and is not installed any more: npm install --global vplane"
      interactiveMode: "Never"
      provideClusterInfo: true
    extensions:
    - name: "vplane.dev/context"
      extension:
        formatVersion: 1
preferences: {}
`)
})

test('writes JSON into JSON', () => {
  const text = setContext('{"contexts": [], "current-context": ""}', execEntry('dev'))

  expect(JSON.parse(text)).toMatchObject({
    clusters: [{ name: 'vplane_dev' }],
    contexts: [{ name: 'vplane_dev', context: { user: 'vplane_dev' } }],
    'current-context': 'vplane_dev',
    users: [{ name: 'vplane_dev' }],
  })
})

test('sets entries of indented JSON on lines of their own', () => {
  const text = JSON.stringify({ contexts: [{ name: 'a' }, { name: 'b' }] }, null, 2)

  expect(setContext(text, execEntry('dev'))).toContain(`    {
      "name": "b"
    },
    {"name": "vplane_dev", "context": {`)
})

test.for([
  ['no spaces', '- name: a\n  context: {}\n', '\n- name: "vplane_dev"\n  context:\n    cluster:'],
  ['two spaces', '  - name: a\n    context: {}\n', '\n  - name: "vplane_dev"\n    context:\n'],
  ['four spaces', '    - name: a\n', '\n    - name: "vplane_dev"\n      context:\n'],
] as const)('copies %s of the list', ([, items, expected]) => {
  expect(setContext(`contexts:\n${items}`, execEntry('dev'))).toContain(expected)
})

test('indents a list that was empty as the file does others', () => {
  const text = setContext('users:\n  - name: a\ncontexts: []\n', execEntry('dev'))

  expect(text).toContain('contexts:\n  - name: "vplane_dev"\n')
})

test('ends its lines as the file does', () => {
  const text = setContext(FILE.replaceAll('\n', '\r\n'), execEntry('dev'))

  expect(text.replaceAll('\r\n', '')).not.toContain('\n')
  expect(text.replaceAll('\r\n', '\n')).toBe(setContext(FILE, execEntry('dev')))
})

test.for(['', '# nothing yet\n', '---\n', '{}\n'])('makes %j a complete kubeconfig', (text) => {
  const set = setContext(text, execEntry('dev'))

  expect(set).toMatch(/"?apiVersion"?: "v1"/)
  expect(set).toMatch(/"?kind"?: "Config"/)
  expect(set).toMatch(/"?current-context"?: "vplane_dev"/)
})

test('replaces its own entries in place, and keeps the previous context', () => {
  const first = setContext(FILE, execEntry('dev'))

  const second = setContext(first, { ...embeddedEntry('dev'), server: 'https://127.0.0.1:1' })

  expect(second).toContain('server: "https://127.0.0.1:1"')
  expect(second).not.toContain('20443')
  expect(second).not.toContain('exec:')
  expect(second).toContain('previousContext: "kind"')
  expect(setContext(second, execEntry('dev'))).toBe(first)
})

test('keeps the default namespace that the user gave its context', () => {
  const used = setContext(FILE, execEntry('dev')).replace(
    '    user: "vplane_dev"\n',
    '    user: "vplane_dev"\n    namespace: team\n',
  )

  expect(setContext(used, execEntry('dev'))).toContain('    namespace: "team"\n')
})

test('keeps the current context when makeCurrent is false', () => {
  const text = setContext(FILE, execEntry('dev'), { makeCurrent: false })

  expect(text).toContain('current-context: kind # the usual one')
  expect(text).not.toContain('previousContext')
  expect(text).toContain('- name: "vplane_dev"')
})

test.for([
  ['context', 'contexts:\n- name: vplane_dev\n  context: {cluster: a}\n'],
  ['cluster', 'clusters:\n- name: vplane_dev\n  cluster: {server: "https://a"}\n'],
  ['user', 'users: [{name: vplane_dev, user: {token: secret}}]\n'],
] as const)('refuses to replace a %s that vplane did not write', ([kind, text]) => {
  const message = `it has a ${kind} "vplane_dev" that vplane did not write`
  const error = thrownBy(() => setContext(text, execEntry('dev')))
  expect(error).toMatchObject({ code: 'CONFLICT', message })
})

test('replaces its own cluster and user whose context was deleted', () => {
  const orphaned = setContext('', execEntry('dev')).replace(/contexts:\n(?=-)[^]*?\n(?=\w)/, '')

  const text = setContext(orphaned, { ...execEntry('dev'), server: 'https://127.0.0.1:7' })

  expect(orphaned).not.toContain('contexts:')
  expect(text.match(/- name: "vplane_dev"/g)).toHaveLength(3)
  expect(text).not.toContain('20443')
})

test.for([
  ['names its version', '3.4.5', '3.4.5'],
  ['puts nothing else from the file into a command to paste', '1.0.0; rm -rf ~', 'latest'],
] as const)('refuses to replace a context of a newer vplane, and %s', ([, writtenBy, version]) => {
  const newer = setContext('', execEntry('dev'))
    .replaceAll('formatVersion: 1', 'formatVersion: 2')
    .replace('writtenBy: "0.1.0"', `writtenBy: "${writtenBy}"`)

  const error = thrownBy(() => setContext(newer, execEntry('dev')))

  const hints = [`npm install --global vplane@${version}`]
  expect(error).toMatchObject({ code: 'UNSUPPORTED', hints })
  expect(setContext(newer, execEntry('prod'))).toContain('vplane_prod')
})

test.for([
  ['a: b: c\n', 'invalid YAML at line 1, column 4: '],
  ['kind: Config\nusers:\n- name: a\n   user: 1\n', 'invalid YAML at line 3, column 9: '],
  ['kind: Config\nkind: Config\n', 'invalid YAML at line 2, column 1: Map keys must be unique'],
  ['a: 1\n---\nb: 2\n', 'it has several YAML documents'],
  ['[]', 'it is not a kubeconfig'],
  ['just text', 'it is not a kubeconfig'],
  ['contexts: 5\n', 'it cannot be edited: "contexts" is not a list'],
  ['contexts: {a: 1}\n', 'it cannot be edited: "contexts" is not a list'],
  ['a: &a []\ncontexts: *a\n', 'it cannot be edited: "contexts" is an alias'],
  ['a: &a\n  contexts: []\n<<: *a\n', 'it cannot be edited: "contexts" comes from another place'],
  ['? contexts\n: []\n', 'it cannot be edited: "contexts" comes from another place in the file'],
  ['current-context: &c a\nb: *c\n', 'it cannot be edited: it is written in a way'],
] as const)('refuses %j', ([text, message]) => {
  const error = thrownBy(() => setContext(text, execEntry('dev')))

  expect(error.code).toBe(message.includes('cannot be edited') ? 'FAILED' : 'INVALID_SPEC')
  expect(error.message).toContain(message)
})

test('reports the place of invalid YAML without secrets', () => {
  const text = 'users:\n- user: {token: hunter2}\n  name: a\n hunter3\n'

  const error = thrownBy(() => setContext(text, execEntry('dev')))

  expect(String(error)).toContain('line 4')
  expect(String(error)).not.toContain('hunter')
})

test.for(['', 'x'.repeat(254)])('refuses the name %j', (name) => {
  expect(thrownBy(() => setContext('', execEntry('dev', { name }))).code).toBe('USAGE')
})

test('records only a previous context that exists', () => {
  const text = 'current-context: elsewhere\n'

  expect(setContext(text, execEntry('dev'))).not.toContain('previousContext')
  expect(setContext(text, execEntry('dev'), { knownContexts: ['elsewhere'] })).toContain(
    'previousContext: "elsewhere"',
  )
})
