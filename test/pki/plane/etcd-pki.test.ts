import { createPrivateKey } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { createEtcdPki } from '../../../src/pki/plane/etcd-pki.ts'
import { CLIENT_AUTH, daysLater, NOW, read, SERVER_AUTH } from '../fixtures.ts'
import { handshake } from '../handshake.ts'
import { opensslVerify } from '../openssl.ts'

const MEMBER_SANS = ['etcd-0', '*.etcd.dev.svc']

test('has the files that etcd and its clients need, and no others', () => {
  const files = createEtcdPki({ algorithm: 'ecdsa', now: NOW, memberSans: [] })

  expect(Object.keys(files).sort()).toEqual([
    'apiserver-etcd-client.crt',
    'apiserver-etcd-client.key',
    'etcd/ca.crt',
    'etcd/ca.key',
    'etcd/healthcheck-client.crt',
    'etcd/healthcheck-client.key',
    'etcd/peer.crt',
    'etcd/peer.key',
    'etcd/server.crt',
    'etcd/server.key',
  ])
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
  ] as const)('issues %s to %s', ([name, user, usages]) => {
    const leaf = read(files[`${name}.crt`] ?? '')

    expect(leaf.subject).toBe(`CN=${user}`)
    expect(leaf.issuer).toBe('CN=etcd-ca')
    expect(leaf.keyUsage).toEqual(usages)
    expect(leaf.publicKey.asymmetricKeyType).toBe(algorithm === 'rsa' ? 'rsa' : 'ec')
    expect(leaf.checkPrivateKey(createPrivateKey(files[`${name}.key`] ?? ''))).toBe(true)
    expect(leaf.verify(read(files['etcd/ca.crt'] ?? '').publicKey)).toBe(true)
    expect(leaf.validToDate.getTime()).toBe(Math.floor(daysLater(365).getTime() / 1000) * 1000)
  })

  test.for([
    ['etcd/server', 'sslserver'],
    ['etcd/server', 'sslclient'],
    ['etcd/peer', 'sslserver'],
    ['etcd/peer', 'sslclient'],
    ['etcd/healthcheck-client', 'sslclient'],
    ['apiserver-etcd-client', 'sslclient'],
  ] as const)('makes %s that openssl takes as %s', async ([name, purpose]) => {
    const verdict = await opensslVerify({
      trusted: files['etcd/ca.crt'] ?? '',
      leaf: files[`${name}.crt`] ?? '',
      purpose,
    })

    expect(verdict).toBe('OK')
  })
})

test.for(['etcd/server', 'etcd/peer'])(
  'the certificate %s has the names of all members and loopback',
  (name) => {
    const files = createEtcdPki({
      algorithm: 'ecdsa',
      now: NOW,
      memberSans: [...MEMBER_SANS, '127.0.0.1'],
    })

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

  const users = await Promise.all(
    ['apiserver-etcd-client', 'etcd/healthcheck-client', 'etcd/server', 'etcd/peer'].map(
      async (name) => (await handshake(party('etcd/server'), party(name))).user,
    ),
  )

  expect(users).toEqual([
    'kube-apiserver-etcd-client',
    'kube-etcd-healthcheck-client',
    'etcd-server',
    'etcd-peer',
  ])
})

test('refuses the clients of another plane', async () => {
  const [one, other] = [1, 2].map(() =>
    createEtcdPki({ algorithm: 'ecdsa', now: NOW, memberSans: [] }),
  )

  const verdict = await opensslVerify({
    trusted: one?.['etcd/ca.crt'] ?? '',
    leaf: other?.['apiserver-etcd-client.crt'] ?? '',
    purpose: 'sslclient',
  })

  expect(verdict).toContain('verification failed')
})
