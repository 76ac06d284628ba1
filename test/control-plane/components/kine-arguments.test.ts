import { expect, test } from 'vitest'
import { kineArguments } from '../../../src/control-plane/components/arguments/kine-arguments.ts'
import type { Layout } from '../../../src/control-plane/components/arguments/layout.ts'
import { configurationFiles } from '../../../src/control-plane/components/configuration-files.ts'
import { describeComponents } from '../../../src/control-plane/components/describe-components.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import { layoutOf } from '../../support/driver/layouts.ts'

const LOCAL_LAYOUT = layoutOf('nodeless')
const SQLITE = { store: { kine: { sqlite: {} } } }
const LISTEN = '127.0.0.1:2379'

test('listens for clients with a certificate, opens no other port, and syncs every write', () => {
  const [endpoint, ...others] = argumentsOf()

  expect(endpoint).toContain(
    '--endpoint=sqlite:///plane/sqlite/state.db?_journal_mode=WAL&_busy_timeout=30000&_synchronous=FULL&_txlock=immediate&',
  )
  expect(others).toEqual([
    '--listen-address=127.0.0.1:2379',
    '--log-format=json',
    '--metrics-bind-address=0',
    `--server-cert-file=${LOCAL_LAYOUT.pkiFolder}/etcd/server.crt`,
    `--server-key-file=${LOCAL_LAYOUT.pkiFolder}/etcd/server.key`,
    `--trusted-ca-file=${LOCAL_LAYOUT.pkiFolder}/etcd/ca.crt`,
  ])
})

test('limits the log of sqlite, whatever decodes its parameters twice', () => {
  const [endpoint = ''] = argumentsOf()
  const once = new URLSearchParams(endpoint.slice(endpoint.indexOf('?'))).getAll('_pragma')
  const twice = once.map((pragma) => decodeURIComponent(pragma))

  expect(twice).toEqual([
    'journal_size_limit(16777216)',
    expect.stringMatching(
      /^wal_autocheckpoint\(1000\);CREATE TABLE IF NOT EXISTS key_value AS SELECT /,
    ),
  ])
})

test('syncs no write of an ephemeral plane', () => {
  expect(argumentsOf({ ephemeral: true })[0]).toContain('&_synchronous=OFF&')
})

test('encodes what ends a path in a URI', () => {
  expect(argumentsOf({}, '/a b/50%/#1?/state.db')[0]).toContain(
    '=sqlite:///a b/50%25/%231%3F/state.db?_journal_mode',
  )
})

test('has kine instead of etcd, and no configuration file of etcd', () => {
  const spec = resolveSpec(SQLITE)
  const layout = layoutWith('/plane/sqlite/state.db')

  const [first, ...others] = describeComponents(spec, layout)

  expect(first).toEqual({ name: 'kine', args: argumentsOf(), env: { GOGC: '50' } })
  expect(others.map(({ name }) => name)).toEqual(['kube-apiserver', 'kube-controller-manager'])
  expect(configurationFiles(spec, layout)).not.toHaveProperty('etcd.json')
})

function argumentsOf(more: UserSpec = {}, file = '/plane/sqlite/state.db'): string[] {
  return kineArguments(resolveSpec({ ...SQLITE, ...more }), layoutWith(file))
}

function layoutWith(file: string): Layout {
  return { ...LOCAL_LAYOUT, kine: { listen: LISTEN, file } }
}

test('is told of a database by its environment, and of its CAs by an argument', () => {
  const database = { host: 'db.example.com', credentialsFile: '/etc/owner.yaml' }
  const args = (caFile?: string) => {
    const layout = { ...LOCAL_LAYOUT, kine: { listen: LISTEN, file: '', caFile } }
    return kineArguments(resolveSpec({ store: { kine: { postgres: database } } }), layout)
  }

  expect(args('/etc/ca.crt')[0]).toBe('--ca-file=/etc/ca.crt')
  expect(args()[0]).toBe('--listen-address=127.0.0.1:2379')
  expect([...args(), ...args('/etc/ca.crt')].join()).not.toContain('--endpoint')
})
