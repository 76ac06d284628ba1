import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { completionSources } from '../../src/cli/complete.ts'
import { temporaryHome } from './temporary-home.ts'

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

  expect([...sources.planes(), ...sources.contexts()]).toEqual([])
})
