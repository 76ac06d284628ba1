import { expect, test } from 'vitest'
import { toExecPlugin } from '../../../../src/kube/host/exec/exec-plugin.ts'
import { thrownBy } from '../../../support/thrown-by.ts'
import { userOf } from '../kubeconfigs.ts'

const V1 = { apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never' }
const BETA = { apiVersion: 'client.authentication.k8s.io/v1beta1' }

test('reads a plugin as kubectl does', () => {
  const exec = {
    ...V1,
    command: 'aws',
    args: ['eks', 'get-token'],
    env: [{ name: 'AWS_PROFILE', value: 'team' }, { name: 'EMPTY' }],
    provideClusterInfo: true,
    installHint: 'install it',
  }

  expect(toExecPlugin(userOf({ exec }))).toEqual({
    command: 'aws',
    args: ['eks', 'get-token'],
    environment: { AWS_PROFILE: 'team', EMPTY: '' },
    apiVersion: V1.apiVersion,
    provideClusterInfo: true,
    interactiveMode: 'Never',
    installHint: 'install it',
  })
})

test('finds no plugin when the user has none', () => {
  expect(toExecPlugin(userOf({ token: 'abc' }))).toBeUndefined()
})

test.for([
  ['login', 'login'],
  ['./bin/login', '/home/jo/.kube/bin/login'],
  ['../login', '/home/jo/login'],
  ['/opt/login', '/opt/login'],
] as const)('finds the command %s as %s', ([command, found]) => {
  expect(toExecPlugin(userOf({ exec: { ...V1, command } }))?.command).toBe(found)
})

test('may ask if it can, unless the older version says otherwise', () => {
  const exec = { ...BETA, command: 'a' }

  expect(toExecPlugin(userOf({ exec }))?.interactiveMode).toBe('IfAvailable')
  expect(toExecPlugin(userOf({ exec: { ...exec, interactiveMode: 'Always' } }))).toMatchObject({
    interactiveMode: 'Always',
  })
})

test.for([
  [{ ...V1 }, 'it names no command'],
  [{ ...V1, command: 'a', interactiveMode: 'Perhaps' }, '"interactiveMode" is none of'],
  [{ apiVersion: V1.apiVersion, command: 'a' }, '"interactiveMode" is none of'],
  [{ command: 'a' }, '"apiVersion" is neither'],
  [
    { apiVersion: 'client.authentication.k8s.io/v1alpha1', command: 'a' },
    '"apiVersion" is neither',
  ],
  [{ ...V1, command: 'a', env: [{ value: 'b' }] }, 'a variable has no name'],
] as const)('refuses %j', ([exec, why]) => {
  const error = thrownBy(() => toExecPlugin(userOf({ exec })))

  expect(error.code).toBe('FAILED')
  expect(error.message).toContain('"exec" of user "u" in "/home/jo/.kube/config": ')
  expect(error.message).toContain(why)
})
