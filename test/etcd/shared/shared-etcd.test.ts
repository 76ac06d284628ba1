import { expect, test } from 'vitest'
import {
  formatSharedEtcd,
  newSharedEtcd,
  parseSharedEtcd,
} from '../../../src/etcd/shared/shared-etcd.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const ENDPOINTS = { endpoints: ['https://etcd.example.com:2379'], caFile: '/etc/ca.crt' }
const FILES = { certificateFile: '/etc/a.crt', keyFile: '/etc/a.key' }
const ROOT = {
  ...ENDPOINTS,
  root: { ...FILES, clientCaFile: '/etc/c.crt', clientCaKeyFile: '/etc/c.key' },
}
const CLIENT = { ...ENDPOINTS, client: { ...FILES, prefix: '/planes/dev' } }

test('gives each plane another user and another prefix', () => {
  const [one, other] = [newSharedEtcd('dev', ROOT), newSharedEtcd('dev', ROOT)]

  expect(one.user).toMatch(/^vplane-dev-[0-9a-f]{8}$/)
  expect(one.prefix).toBe(`/vplane/${one.user?.replace(/^vplane-/, '')}`)
  expect([one.user, one.prefix]).not.toEqual([other.user, other.prefix])
  expect(newSharedEtcd('a'.repeat(63), ROOT).user?.length).toBe(32)
})

test('makes no user where the owner has made one', () => {
  expect(newSharedEtcd('dev', CLIENT)).toEqual({ ...CLIENT, prefix: '/planes/dev' })
})

test.for([ROOT, CLIENT])('reads what it has written: %j', (spec) => {
  const facts = newSharedEtcd('dev', spec)

  expect(parseSharedEtcd(formatSharedEtcd(facts), 'shared-etcd.json')).toEqual(facts)
})

test.for(['prefix', 'endpoints', 'caFile', 'root'])('refuses a file without %s', (field) => {
  const text = formatSharedEtcd(newSharedEtcd('dev', ROOT)).replace(`"${field}"`, '"other"')

  expect(thrownBy(() => parseSharedEtcd(text, 'shared-etcd.json')).code).toBe('FAILED')
})
