import { expect, test } from 'vitest'
import { impersonationHeaders } from '../../../../src/kube/host/kubeconfig/impersonation.ts'
import { thrownBy } from '../../../support/thrown-by.ts'
import { userOf } from '../kubeconfigs.ts'

test('impersonates nobody unless the kubeconfig requests it', () => {
  expect(impersonationHeaders(undefined)).toEqual({})
  expect(impersonationHeaders(userOf({ token: 'abc' }))).toEqual({})
})

test('impersonates a user with groups, uid and more', () => {
  const user = userOf({
    as: 'ci',
    'as-uid': '7',
    'as-groups': ['dev', 'ops'],
    'as-user-extra': { Scopes: ['a', 'b'], 'acme.com/über': ['c'] },
  })

  expect(impersonationHeaders(user)).toEqual({
    'Impersonate-User': 'ci',
    'Impersonate-Uid': '7',
    'Impersonate-Group': ['dev', 'ops'],
    'Impersonate-Extra-scopes': ['a', 'b'],
    'Impersonate-Extra-acme.com%2F%C3%BCber': ['c'],
  })
})

test.for([{ 'as-uid': '7' }, { 'as-groups': ['dev'] }, { 'as-user-extra': { a: ['b'] } }])(
  'refuses %j without a user',
  (fields) => {
    expect(thrownBy(() => impersonationHeaders(userOf(fields)))).toMatchObject({ code: 'FAILED' })
  },
)
