import { createPrivateKey } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { createEtcdPki } from '../../../src/pki/plane/etcd-pki.ts'
import { CLIENT_AUTH, daysLater, NOW, read, SERVER_AUTH } from '../fixtures.ts'
import { handshake } from '../handshake.ts'
import { opensslVerify, purposeOf } from '../openssl.ts'

const MEMBER_SANS = ['etcd-0', '*.etcd.dev.svc']

test('has the files that etcd and its clients need, and no others', () => {
  const files = createEtcdPki({ algorithm: 'ecdsa', now: NOW, memberSans: [] })

  const ofEtcd = ['ca', 'healthcheck-client', 'peer', 'server'].map((name) => `etcd/${name}`)
  const paths = ['apiserver-etcd-client', ...ofEtcd]
  expect(Object.keys(files).sort()).toEqual(paths.flatMap((path) => [`${path}.crt`, `${path}.key`]))
})

describe.for(['ecdsa', 'rsa'] as const)('with %s', (algorithm) => {
  let files: Record<string, string> = {}

  beforeAll(() => {
    files = createEtcdPki({ algorithm, now: NOW, memberSans: MEMBER_SANS })
  })

  test.for([
    ['etcd/server', 'etcd-server', [SERVER_AUTH, CLIENT_AUTH]],
    ['etcd/peer', 'etcd-peer', [SERVER_AUTH, CLIENT_AUTH]],
    ['etcd/healthcheck-client', 'kube-etcd-healthcheck-client', [CLIENT_AUTH]],
    ['apiserver-etcd-client', 'kube-apiserver-etcd-client', [CLIENT_AUTH]],
  ] as const)('issues %s to %s, for whom openssl takes it', async ([name, user, usages]) => {
    const leaf = read(files[`${name}.crt`] ?? '')

    expect(leaf.subject).toBe(`CN=${user}`)
    expect(leaf.issuer).toBe('CN=etcd-ca')
    expect(leaf.keyUsage).toEqual(usages)
    expect(leaf.publicKey.asymmetricKeyType).toBe(algorithm === 'rsa' ? 'rsa' : 'ec')
    expect(leaf.checkPrivateKey(createPrivateKey(files[`${name}.key`] ?? ''))).toBe(true)
    expect(leaf.verify(read(files['etcd/ca.crt'] ?? '').publicKey)).toBe(true)
    expect(leaf.validToDate.getTime()).toBe(Math.floor(daysLater(365).getTime() / 1000) * 1000)
    const parties = { trusted: files['etcd/ca.crt'] ?? '', leaf: String(leaf) }
    for (const purpose of usages.map(purposeOf)) {
      expect(await opensslVerify({ ...parties, purpose })).toBe('OK')
    }
  })
})

test.for(['etcd/server', 'etcd/peer'])(
  'the certificate %s has the names of all members and loopback',
  (name) => {
    const memberSans = [...MEMBER_SANS, '127.0.0.1']
    const files = createEtcdPki({ algorithm: 'ecdsa', now: NOW, memberSans })

    const leaf = read(files[`${name}.crt`] ?? '')
    expect(leaf.subjectAltName?.split(', ')).toEqual([
      'DNS:etcd-0',
      'DNS:*.etcd.dev.svc',
      'IP Address:127.0.0.1',
      'DNS:localhost',
      'IP Address:0:0:0:0:0:0:0:1',
    ])
  },
)

test('admits kube-apiserver, and etcd as its own client', async () => {
  const files = createEtcdPki({ algorithm: 'ecdsa', now: new Date(), memberSans: [] })
  const party = (name: string) => ({
    certificate: files[`${name}.crt`] ?? '',
    key: files[`${name}.key`] ?? '',
    trusts: files['etcd/ca.crt'] ?? '',
  })

  const userOf = async (name: string) => (await handshake(party('etcd/server'), party(name))).user

  expect(await userOf('apiserver-etcd-client')).toBe('kube-apiserver-etcd-client')
  expect(await userOf('etcd/healthcheck-client')).toBe('kube-etcd-healthcheck-client')
  expect(await userOf('etcd/server')).toBe('etcd-server')
  expect(await userOf('etcd/peer')).toBe('etcd-peer')
})

test('refuses the clients of another plane', async () => {
  const pki = (): Record<string, string> =>
    createEtcdPki({ algorithm: 'ecdsa', now: NOW, memberSans: [] })
  const [trusted = '', leaf = ''] = [pki()['etcd/ca.crt'], pki()['apiserver-etcd-client.crt']]

  const verdict = await opensslVerify({ trusted, leaf, purpose: 'sslclient' })

  expect(verdict).toContain('verification failed')
})
