import { expect, test } from 'vitest'
import { formatYaml } from '../../../src/shared/yaml/yaml.ts'
import { contextNames } from '../../../src/cli/completion/context-names.ts'

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

test('finds the contexts that kubectl writes, and no other names', () => {
  expect(contextNames(KUBECTL_STYLE)).toEqual([
    'minikube',
    'arn:aws:eks:eu-west-1:1:cluster/b',
    'first',
  ])
})

test('finds contexts in indented lists, with comments and quotes', () => {
  const kubeconfig = `# mine
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

  expect(contextNames(kubeconfig)).toEqual(['dev # one', "it's", 'plain'])
})

test('finds contexts in JSON', () => {
  const kubeconfig = JSON.stringify({
    contexts: [{ name: 'a', context: {} }, { name: 'b' }, null, 3],
  })

  expect(contextNames(kubeconfig)).toEqual(['a', 'b'])
})

test('finds what our own YAML writer writes', () => {
  const contexts = [{ name: 'vplane_dev', context: { cluster: 'vplane_dev', user: 'x' } }]

  expect(contextNames(formatYaml({ apiVersion: 'v1', contexts, users: [] }))).toEqual([
    'vplane_dev',
  ])
})

test.for([
  '',
  'contexts: []',
  'contexts: null',
  'contexts:',
  '{',
  '[]',
  '\u0000',
  'contexts:\n- {',
  'kind: Config',
])('finds nothing in %j, and does not fail', (kubeconfig) => {
  expect(contextNames(kubeconfig)).toEqual([])
})

test('is quick with a large file', () => {
  const entry = (index: number) =>
    `- context:\n    cluster: c${index}\n    user: u\n  name: context-${index}\n`
  const large = `contexts:\n${Array.from({ length: 5000 }, (_, index) => entry(index)).join('')}`

  const startedAt = performance.now()
  const names = contextNames(large)

  expect(names).toHaveLength(5000)
  expect(performance.now() - startedAt).toBeLessThan(500)
})
