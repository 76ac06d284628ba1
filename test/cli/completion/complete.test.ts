import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { completionSources, contextNames } from '../../../src/cli/completion/complete.ts'
import { formatYaml } from '../../../src/shared/yaml/yaml.ts'
import { homeForEachTest } from '../temporary-home.ts'

const home = homeForEachTest()

const KUBECONFIG = (name: string) => `contexts:\n- context: {}\n  name: ${name}\n`

test('knows the planes on this machine, and no folder that is none', () => {
  home.write('data/planes/dev/plane.json', '{}')
  home.write('data/planes/demo/plane.json', 'broken')
  home.write('data/planes/half-made/etcd/member', '')
  home.write('data/planes/file', '')

  expect(completionSources(home.environment).planes()).toEqual(['demo', 'dev'])
})

test('knows the contexts of every file in KUBECONFIG, each once', () => {
  const files = [
    home.write('a', KUBECONFIG('one')),
    join(home.root, 'missing'),
    home.write('b', KUBECONFIG('two')),
    home.write('c', KUBECONFIG('one')),
  ]
  const environment = { ...home.environment, KUBECONFIG: files.join(delimiter) }

  expect(completionSources(environment).contexts()).toEqual(['one', 'two'])
})

test('knows the contexts in the home folder when KUBECONFIG is not set', () => {
  home.write('.kube/config', KUBECONFIG('mine'))

  expect(completionSources(home.environment, home.root).contexts()).toEqual(['mine'])
})

test('knows versions, components, settings and the fields of a spec', () => {
  const sources = completionSources({})

  expect(sources.versions()).toContain('1.36.3')
  expect(sources.components()).toContain('kube-apiserver')
  expect(sources.settings()).toContain('driver')
  expect(sources.spec().properties).toHaveProperty('apiServer')
})

test('finds nothing where nothing can be read', () => {
  const sources = completionSources({ VPLANE_HOME: '/nonexistent', KUBECONFIG: '/nonexistent' })

  expect([...sources.planes(), ...sources.contexts(), ...sources.snapshots()]).toEqual([])
})

test('knows the planes and namespaces of host clusters that were used from here', () => {
  home.write('data/planes/dev/plane.json', '{}')
  home.write('data/credentials/kubernetes_prod_team-a_my_cluster.json', '{}')
  home.write('data/credentials/something-else', '')
  const file = home.write('config', KUBECONFIG('vplane_stage_team-b_arn:aws:eks'))
  const sources = completionSources({ ...home.environment, KUBECONFIG: file })

  expect(sources.planes()).toEqual(['dev', 'prod', 'stage'])
  expect(sources.namespaces()).toEqual(['team-a', 'team-b'])
})

test('knows the ids of stored snapshots', () => {
  const [dev, prod] = ['dev-20260102-030405-1a2b', 'prod-20260102-030405-1a2b']
  const bare = 'dev-20260203-030405-1a2c'
  for (const file of [`${prod}.json`, `${dev}.json`, `${dev}.data`, `${bare}.data`, 'notes.json']) {
    home.write(`data/snapshots/${file}`, '')
  }

  expect(completionSources(home.environment).snapshots()).toEqual([dev, prod])
})

test('offers no context of vplane as a host', () => {
  const text = `contexts:\n- name: work\n- name: vplane_dev\n- name: vplane_prod_team_work\n`
  const sources = completionSources({ ...home.environment, KUBECONFIG: home.write('c', text) })

  expect(sources.contexts()).toEqual(['work'])
})

const KUBECTL_STYLE = `apiVersion: v1
clusters:
- cluster:
    server: https://127.0.0.1:1
  name: not-a-context
contexts:
- context:
    cluster: minikube
    extensions:
    - extension:
        provider: minikube.sigs.k8s.io
      name: context_info
    namespace: default
    user: minikube
  name: minikube
- context:
    cluster: b
    user: b
  name: arn:aws:eks:eu-west-1:1:cluster/b
- name: first
  context:
    cluster: c
    user: c
current-context: minikube
kind: Config
users:
- name: not-a-context
  user: {}
`

const COMMENTED = `# mine
contexts: # all of them
  # the first
  - name: "dev # one"   # comment
    context: {cluster: a, user: a}

  - context:
      cluster: b
    name: 'it''s'
  - context:
      cluster: c
    name: plain # comment
users: []
`

test.for([
  [
    'that kubectl writes, and no other names',
    KUBECTL_STYLE,
    ['minikube', 'arn:aws:eks:eu-west-1:1:cluster/b', 'first'],
  ],
  ['in indented lists, with comments and quotes', COMMENTED, ['dev # one', "it's", 'plain']],
  ['in JSON', '{"contexts":[{"name":"a","context":{}},{"name":"b"},null,3]}', ['a', 'b']],
  [
    'that our own YAML writer writes',
    formatYaml({ contexts: [{ name: 'vplane_dev', context: { user: 'x' } }], users: [] }),
    ['vplane_dev'],
  ],
] as const)('finds the contexts %s', ([, kubeconfig, names]) => {
  expect(contextNames(kubeconfig)).toEqual(names)
})

const CONTEXTLESS = ['', 'contexts: []', 'contexts: null', 'contexts:', 'contexts:\n- {']

test.for([...CONTEXTLESS, '{', '[]', '\u0000', 'kind: Config'])(
  'finds nothing in %j, and does not fail',
  (kubeconfig) => {
    expect(contextNames(kubeconfig)).toEqual([])
  },
)

test('is quick with a large file', () => {
  const entry = (index: number) =>
    `- context:\n    cluster: c${index}\n    user: u\n  name: context-${index}\n`
  const large = `contexts:\n${Array.from({ length: 5000 }, (_, index) => entry(index)).join('')}`

  const startedAt = performance.now()
  const names = contextNames(large)

  expect(names).toHaveLength(5000)
  expect(performance.now() - startedAt).toBeLessThan(500)
})
