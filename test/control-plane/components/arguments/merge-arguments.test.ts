import { expect, test } from 'vitest'
import {
  type ArgumentSources,
  mergeArguments,
} from '../../../../src/control-plane/components/arguments/merge-arguments.ts'
import { thrownBy } from '../../../support/thrown-by.ts'

/** The arguments of a kube-apiserver that says nothing but what a test gives it. */
function merge(sources: Partial<ArgumentSources>): string[] {
  const empty = { managed: {}, defaults: {}, user: {} }
  return mergeArguments({ component: 'kube-apiserver', ...empty, ...sources })
}

const A = { a: '1' }
const ABC = ['--a=1', '--b=2', '--c=3']

test.for<[string, Partial<ArgumentSources>, string[]]>([
  ['a default', { defaults: { v: '0' } }, ['--v=0']],
  ['a user over a default', { defaults: { v: '0' }, user: { v: '4' } }, ['--v=4']],
  ['all beside each other', { managed: A, defaults: { b: '2' }, user: { c: '3' } }, ABC],
  ['a managed flag over a default', { managed: { a: '1' }, defaults: { a: '2' } }, ['--a=1']],
  ['a repeated flag in its order', { user: { a: ['2', '1', '2'] } }, ['--a=2', '--a=1', '--a=2']],
  ['a repeated flag over a default', { defaults: A, user: { a: ['1', '2'] } }, ['--a=1', '--a=2']],
  ['a managed flag that is repeated', { managed: { a: ['1', '2'] } }, ['--a=1', '--a=2']],
  ['nothing for an empty list, so that a default goes', { defaults: A, user: { a: [] } }, []],
  ['an empty value as one', { user: { a: '' } }, ['--a=']],
  ['values as they are', { user: { a: '--b=c d "e" $(f)\n' } }, ['--a=--b=c d "e" $(f)\n']],
  ['a list alone', { lists: { l: ['a', 'b'] } }, ['--l=a,b']],
  ['a list and what a user adds', { lists: { l: ['a'] }, user: { l: 'b,c' } }, ['--l=a,b,c']],
  ['a list and all ends', { lists: { l: ['a'] }, user: { l: ['b', 'c'] } }, ['--l=a,b,c']],
  [
    'all by name',
    { managed: { z: '1', b: '1' }, defaults: { y: '2' }, user: { a: '3' } },
    ['--a=3', '--b=1', '--y=2', '--z=1'],
  ],
])('gives %s', ([, sources, args]) => {
  expect(merge(sources)).toEqual(args)
})

test.for([
  ['secure-port', { managed: { 'secure-port': '1' } }],
  ['anonymous-auth', { unset: ['anonymous-auth'] }],
  ['oidc-issuer-url', {}],
  ['oidc-anything-new', {}],
] as const)('refuses a user that sets --%s', ([flag, sources]) => {
  const error = thrownBy(() => merge({ ...sources, user: { v: '4', [flag]: 'x' } }))

  expect(error).toMatchObject({ code: 'INVALID_SPEC', exitCode: 2 })
  expect(error.message).toBe(`apiServer.extraArgs may not set "--${flag}": vplane manages it`)
})

test('refuses the same value, and an empty list, as well', () => {
  const managed = { 'secure-port': '6443' }

  expect(thrownBy(() => merge({ managed, user: managed })).code).toBe('INVALID_SPEC')
  expect(thrownBy(() => merge({ managed, user: { 'secure-port': [] } })).code).toBe('INVALID_SPEC')
})

test('names all managed flags at once, and the spec fields to use instead', () => {
  const error = thrownBy(() =>
    merge({
      managed: { 'service-cluster-ip-range': 'x', 'tls-cert-file': 'x', 'etcd-cafile': 'x' },
      user: { 'etcd-cafile': 'y', 'oidc-ca-file': 'y', 'service-cluster-ip-range': 'y' },
    }),
  )

  expect(error.message).toBe(
    'apiServer.extraArgs may not set "--etcd-cafile", "--oidc-ca-file", "--service-cluster-ip-range": vplane manages them',
  )
  expect(error.hints).toEqual([
    'instead of --oidc-ca-file use the spec field authentication.jwt',
    'instead of --service-cluster-ip-range use the spec field serviceRange',
  ])
})

test.for([
  ['etcd', 'etcd'],
  ['kube-apiserver', 'apiServer'],
  ['kube-controller-manager', 'controllerManager'],
] as const)('names the section of the spec that %s has', ([component, section]) => {
  const error = thrownBy(() => merge({ component, managed: { a: '1' }, user: { a: '2' } }))

  expect(error.message).toContain(`${section}.extraArgs may not set "--a"`)
})

test('does not take what every object has for a managed flag', () => {
  expect(merge({ user: { constructor: 'x', 'to-string': 'y' } })).toEqual([
    '--constructor=x',
    '--to-string=y',
  ])
})
