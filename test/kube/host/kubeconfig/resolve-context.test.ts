import { expect, test } from 'vitest'
import { KubeconfigEntry } from '../../../../src/kube/host/kubeconfig/kubeconfig-entry.ts'
import type { Kubeconfig } from '../../../../src/kube/host/kubeconfig/read-kubeconfig.ts'
import { resolveContext } from '../../../../src/kube/host/kubeconfig/resolve-context.ts'
import { thrownBy } from '../../../support/thrown-by.ts'

test('uses the current context, or the one that is named', () => {
  const kubeconfig = kubeconfigWith({
    prod: { cluster: 'one', user: 'jo', namespace: 'team' },
    test: { cluster: 'two' },
  })

  expect(resolveContext(kubeconfig)).toMatchObject({
    name: 'prod',
    namespace: 'team',
    cluster: { what: 'cluster "one"' },
    user: { what: 'user "jo"' },
  })
  expect(resolveContext(kubeconfig, 'test')).toMatchObject({
    name: 'test',
    namespace: 'default',
    cluster: { what: 'cluster "two"' },
    user: undefined,
  })
})

test('names the closest context', () => {
  const kubeconfig = kubeconfigWith({ production: { cluster: 'one' }, test: { cluster: 'one' } })

  expect(thrownBy(() => resolveContext(kubeconfig, 'prodution'))).toMatchObject({
    code: 'USAGE',
    message: 'there is no context "prodution" in the kubeconfig',
    hints: ['did you mean "production"?', 'kubectl config get-contexts'],
  })
})

test('reports that the missing context is the current one', () => {
  const kubeconfig = { ...kubeconfigWith({}), currentContext: 'gone' }

  expect(thrownBy(() => resolveContext(kubeconfig))).toMatchObject({
    code: 'USAGE',
    message: 'there is no context "gone" in the kubeconfig, which is the current one',
    hints: ['kubectl config get-contexts'],
  })
})

test('hints how to select a current context', () => {
  const kubeconfig = { ...kubeconfigWith({ 'a b': { cluster: 'one' } }), currentContext: undefined }

  expect(thrownBy(() => resolveContext(kubeconfig))).toMatchObject({
    code: 'USAGE',
    message: 'the kubeconfig "/k" has no current context',
    hints: ["kubectl config use-context 'a b'", 'kubectl config get-contexts'],
  })
})

test.for([
  [{ cluster: 'on', user: 'jo' }, 'the cluster "on" of the context "prod"', 'one'],
  [{ cluster: 'one', user: 'joe' }, 'the user "joe" of the context "prod"', 'jo'],
] as const)('names the missing entry of the context %j', ([context, what, closest]) => {
  const error = thrownBy(() => resolveContext(kubeconfigWith({ prod: context })))

  expect(error.code).toBe('USAGE')
  expect(error.message).toBe(`${what} is not in the kubeconfig`)
  expect(error.hints[0]).toBe(`did you mean "${closest}"?`)
})

test('refuses a context that names no cluster', () => {
  expect(thrownBy(() => resolveContext(kubeconfigWith({ prod: { user: 'jo' } })))).toMatchObject({
    code: 'USAGE',
    message: 'the context "prod" names no cluster',
    hints: ['kubectl config set-context prod --cluster=NAME'],
  })
})

/** A kubeconfig with these contexts, two clusters and a user; "prod" is current. */
function kubeconfigWith(contexts: Record<string, object>): Kubeconfig {
  const entries = (kind: string, fields: Record<string, object>) =>
    new Map(
      Object.entries(fields).map(([name, value]) => [
        name,
        new KubeconfigEntry(`${kind} "${name}"`, '/k', value),
      ]),
    )
  return {
    files: ['/k'],
    text: '',
    currentContext: 'prod',
    contexts: entries('context', contexts),
    clusters: entries('cluster', { one: {}, two: {} }),
    users: entries('user', { jo: {} }),
  }
}
