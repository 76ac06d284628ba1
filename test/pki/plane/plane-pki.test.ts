import { createPrivateKey, createPublicKey } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAuthority } from '../../../src/pki/issue/create-authority.ts'
import { parseCertificates } from '../../../src/pki/x509/pem.ts'
import { createPlanePki, createSchedulerPki } from '../../../src/pki/plane/plane-pki.ts'
import { CLIENT_AUTH, daysLater, NOW, read, SERVER_AUTH } from '../fixtures.ts'
import { handshake } from '../handshake.ts'
import { opensslKey, opensslVerify } from '../openssl.ts'

const SERVER_SANS = ['kubernetes', '10.96.0.1', '127.0.0.1']

describe.for(['ecdsa', 'rsa'] as const)('with %s', (algorithm) => {
  let files: Record<string, string> = {}
  const file = (name: string) => files[name] ?? ''

  beforeAll(async () => {
    files = await createPlanePki({ algorithm, now: NOW, serverSans: SERVER_SANS })
  })

  test('has the files that the components need, and no others', () => {
    expect(Object.keys(files).sort()).toEqual([
      'apiserver.crt',
      'apiserver.key',
      'ca.crt',
      'ca.key',
      'client-ca.crt',
      'controller-manager-server.crt',
      'controller-manager-server.key',
      'controller-manager.crt',
      'controller-manager.key',
      'front-proxy-ca.crt',
      'front-proxy-ca.key',
      'front-proxy-client.crt',
      'front-proxy-client.key',
      'sa.key',
      'sa.pub',
      'signing-ca.crt',
      'signing-ca.key',
    ])
  })

  test('has three CAs with different names and keys', () => {
    const authorities = ['ca', 'signing-ca', 'front-proxy-ca'].map((name) => {
      const certificate = read(file(`${name}.crt`))
      expect(certificate.checkPrivateKey(createPrivateKey(file(`${name}.key`)))).toBe(true)
      return certificate
    })

    expect(authorities.map(({ ca }) => ca)).toEqual([true, true, true])
    expect(authorities.map(({ subject }) => subject)).toEqual([
      'CN=kubernetes',
      'CN=kubernetes-signing',
      'CN=front-proxy-ca',
    ])
    const keys = authorities.map(({ publicKey }) => publicKey.export({ format: 'jwk' }))
    expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(3)
  })

  test.for([
    ['apiserver', 'kube-apiserver', 'ca', SERVER_AUTH],
    ['controller-manager', 'system:kube-controller-manager', 'ca', CLIENT_AUTH],
    ['controller-manager-server', 'kube-controller-manager', 'ca', SERVER_AUTH],
    ['front-proxy-client', 'front-proxy-client', 'front-proxy-ca', CLIENT_AUTH],
  ] as const)('issues %s to %s, signed by %s', async ([name, user, authority, usage]) => {
    const leaf = read(file(`${name}.crt`))

    expect({ ...leaf.toLegacyObject().subject }).toEqual({ CN: user })
    expect(leaf.keyUsage).toEqual([usage])
    expect(leaf.publicKey.asymmetricKeyType).toBe(algorithm === 'rsa' ? 'rsa' : 'ec')
    expect(leaf.checkPrivateKey(createPrivateKey(file(`${name}.key`)))).toBe(true)
    expect(leaf.validToDate.getTime()).toBe(Math.floor(daysLater(365).getTime() / 1000) * 1000)
    const verdict = await opensslVerify({
      trusted: file(`${authority}.crt`),
      leaf: file(`${name}.crt`),
      purpose: usage === SERVER_AUTH ? 'sslserver' : 'sslclient',
    })
    expect(verdict).toBe('OK')
  })

  test('has an RSA key for ServiceAccount tokens and its public half in a list', async () => {
    const key = createPrivateKey(file('sa.key'))

    expect(key.asymmetricKeyType).toBe('rsa')
    expect(key.asymmetricKeyDetails?.modulusLength).toBe(2048)
    expect(await opensslKey(file('sa.key'))).toContain('Key is valid')
    expect(file('sa.pub').match(/-----BEGIN PUBLIC KEY-----/g)).toHaveLength(1)
    expect(createPublicKey(file('sa.pub')).equals(createPublicKey(key))).toBe(true)
  })
})

describe('of a plane', () => {
  let files: Record<string, string> = {}
  const file = (name: string) => files[name] ?? ''

  beforeAll(async () => {
    files = await createPlanePki({
      algorithm: 'ecdsa',
      now: new Date(),
      serverSans: SERVER_SANS,
    })
  })

  test('the client CA bundle has the CA and the signing CA', () => {
    const bundle = parseCertificates(file('client-ca.crt'), 'client-ca.crt')

    expect(bundle.map(String)).toEqual([file('ca.crt'), file('signing-ca.crt')])
  })

  test('the front proxy is no client of the API server, nor the other way round', async () => {
    const verdicts = await Promise.all([
      opensslVerify({
        trusted: file('client-ca.crt'),
        leaf: file('front-proxy-client.crt'),
        purpose: 'sslclient',
        at: new Date(),
      }),
      opensslVerify({
        trusted: file('front-proxy-ca.crt'),
        leaf: file('controller-manager.crt'),
        purpose: 'sslclient',
        at: new Date(),
      }),
    ])

    expect(verdicts).toEqual([
      expect.stringContaining('verification failed'),
      expect.stringContaining('verification failed'),
    ])
  })

  test('the certificate of kube-apiserver has the requested names', () => {
    expect(read(file('apiserver.crt')).subjectAltName?.split(', ')).toEqual([
      'DNS:kubernetes',
      'IP Address:10.96.0.1',
      'IP Address:127.0.0.1',
    ])
  })

  test('the certificate of kube-controller-manager has loopback names only', () => {
    expect(read(file('controller-manager-server.crt')).subjectAltName?.split(', ')).toEqual([
      'DNS:localhost',
      'IP Address:127.0.0.1',
    ])
  })

  test('kube-controller-manager and kube-apiserver trust each other', async () => {
    const { user } = await handshake(
      {
        certificate: file('apiserver.crt'),
        key: file('apiserver.key'),
        trusts: file('client-ca.crt'),
      },
      {
        certificate: file('controller-manager.crt'),
        key: file('controller-manager.key'),
        trusts: file('ca.crt'),
      },
    )

    expect(user).toBe('system:kube-controller-manager')
  })
})

test('refuses an invalid name before anything is written', async () => {
  await expect(
    createPlanePki({ algorithm: 'ecdsa', now: NOW, serverSans: ['not a host'] }),
  ).rejects.toMatchObject({ code: 'INVALID_SPEC' })
})

test.for([
  ['scheduler', 'CN=system:kube-scheduler', undefined],
  ['scheduler-server', 'CN=kube-scheduler', 'DNS:localhost, IP Address:127.0.0.1'],
] as const)('issues %s to %s by the CA of the plane', ([name, subject, names]) => {
  const authority = createAuthority({ commonName: 'kubernetes', algorithm: 'ecdsa', now: NOW })

  const files = createSchedulerPki({ authority, algorithm: 'ecdsa', now: NOW })

  const leaf = read(files[`${name}.crt`] ?? '')
  expect(leaf.subject).toBe(subject)
  expect(leaf.subjectAltName).toBe(names)
  expect(leaf.verify(read(authority.certificate).publicKey)).toBe(true)
})
