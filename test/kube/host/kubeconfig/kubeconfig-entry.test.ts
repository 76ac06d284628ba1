import { expect, test } from 'vitest'
import { thrownBy } from '../../../support/thrown-by.ts'
import { base64, userOf } from '../kubeconfigs.ts'

test('reads texts, flags, lists and mappings', () => {
  const user = userOf({
    token: 'abc',
    flag: true,
    list: ['a'],
    map: { b: 'c' },
    maps: [{ d: 'e' }],
  })

  expect(user.text('token')).toBe('abc')
  expect(user.flag('flag')).toBe(true)
  expect(user.texts('list')).toEqual(['a'])
  expect(user.entry('map')?.text('b')).toBe('c')
  expect(user.entries('maps').map((entry) => entry.text('d'))).toEqual(['e'])
  expect(user.names()).toEqual(['token', 'flag', 'list', 'map', 'maps'])
})

test.for([{}, { it: null }, { it: '' }])('treats %j as missing', (fields) => {
  expect(userOf(fields).text('it')).toBeUndefined()
  expect(userOf(fields).path('it')).toBeUndefined()
  expect(userOf(fields).data('it')).toBeUndefined()
})

test('finds a relative path beside the kubeconfig', () => {
  const user = userOf({ near: 'ca.crt', up: '../ca.crt', far: '/etc/ca.crt' })

  expect(user.path('near')).toBe('/home/jo/.kube/ca.crt')
  expect(user.path('up')).toBe('/home/jo/ca.crt')
  expect(user.path('far')).toBe('/etc/ca.crt')
})

test('decodes base64, also on several lines', () => {
  const encoded = base64('-----BEGIN').replace(/(.{5})/, '$1\n  ')

  expect(userOf({ data: encoded }).data('data')).toBe('-----BEGIN')
})

test.for([
  [{ it: 7 }, 'text', '"it" is not a string'],
  [{ it: '-----BEGIN' }, 'data', '"it" is not base64'],
  [{ it: 'true' }, 'flag', '"it" is neither true nor false'],
  [{ it: 'a' }, 'texts', '"it" is not a list of strings'],
  [{ it: [1] }, 'texts', '"it" is not a list of strings'],
  [{ it: 'a' }, 'entries', '"it" is not a list'],
] as const)('refuses %j as %s', ([fields, kind, why]) => {
  const error = thrownBy(() => userOf(fields)[kind]('it'))

  expect(error).toMatchObject({
    code: 'FAILED',
    message: `user "u" in "/home/jo/.kube/config": ${why}`,
  })
})
