import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { completionSources } from '../../../src/cli/completion/complete.ts'
import { temporaryHome } from '../temporary-home.ts'

const KUBECONFIG = (name: string) => `contexts:\n- context: {}\n  name: ${name}\n`

test('knows the planes on this machine, and no folder that is none', () => {
  using home = temporaryHome()
  home.write('data/planes/dev/plane.json', '{}')
  home.write('data/planes/demo/plane.json', 'broken')
  home.write('data/planes/half-made/etcd/member', '')
  home.write('data/planes/file', '')

  expect(completionSources(home.environment).planes()).toEqual(['demo', 'dev'])
})

test('knows the contexts of every file in KUBECONFIG, each once', () => {
  using home = temporaryHome()
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
  using home = temporaryHome()
  home.write('.kube/config', KUBECONFIG('mine'))

  expect(completionSources(home.environment, home.root).contexts()).toEqual(['mine'])
})

test('knows versions, components and settings', () => {
  const sources = completionSources({})

  expect(sources.versions()).toContain('1.36.3')
  expect(sources.components()).toContain('kube-apiserver')
  expect(sources.settings()).toContain('driver')
})

test('finds nothing where nothing can be read', () => {
  const sources = completionSources({ VPLANE_HOME: '/nonexistent', KUBECONFIG: '/nonexistent' })

  expect([...sources.planes(), ...sources.contexts(), ...sources.snapshots()]).toEqual([])
})

test('knows the planes and namespaces of host clusters that were used from here', () => {
  using home = temporaryHome()
  home.write('data/planes/dev/plane.json', '{}')
  home.write('data/credentials/kubernetes_prod_team-a_my_cluster.json', '{}')
  home.write('data/credentials/something-else', '')
  const file = home.write('config', KUBECONFIG('vplane_stage_team-b_arn:aws:eks'))
  const sources = completionSources({ ...home.environment, KUBECONFIG: file })

  expect(sources.planes()).toEqual(['dev', 'prod', 'stage'])
  expect(sources.namespaces()).toEqual(['team-a', 'team-b'])
})

test('knows the ids of stored snapshots', () => {
  using home = temporaryHome()
  for (const file of [
    'prod-20260102-030405-1a2b.json',
    'dev-20260102-030405-1a2b.json',
    'dev-20260102-030405-1a2b.data',
    'dev-20260203-030405-1a2c.data',
    'notes.json',
  ]) {
    home.write(`data/snapshots/${file}`, '')
  }

  expect(completionSources(home.environment).snapshots()).toEqual([
    'dev-20260102-030405-1a2b',
    'prod-20260102-030405-1a2b',
  ])
})

test('knows the fields of a spec', () => {
  expect(completionSources({}).spec().properties).toHaveProperty('apiServer')
})

test('offers no context of vplane as a host', () => {
  using home = temporaryHome()
  const text = `contexts:\n- name: work\n- name: vplane_dev\n- name: vplane_prod_team_work\n`
  const sources = completionSources({ ...home.environment, KUBECONFIG: home.write('c', text) })

  expect(sources.contexts()).toEqual(['work'])
})
