import { createPrivateKey, createPublicKey } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseCertificates } from '../../../src/pki/x509/pem.ts'
import { createPlanePki, createSchedulerPki } from '../../../src/pki/plane/plane-pki.ts'
import { authorityOf, CLIENT_AUTH, daysLater, NOW, read, SERVER_AUTH } from '../fixtures.ts'
import { opensslKey, opensslVerify, purposeOf } from '../openssl.ts'

const SERVER_SANS = ['kubernetes', '10.96.0.1', '127.0.0.1']
const API_NAMES = 'DNS:kubernetes, IP Address:10.96.0.1, IP Address:127.0.0.1'
const LOOPBACK = 'DNS:localhost, IP Address:127.0.0.1'

describe.for(['ecdsa', 'rsa'] as const)('with %s', (algorithm) => {
  let files: Record<string, string> = {}
  const file = (name: string) => files[name] ?? ''

  beforeAll(async () => {
    files = await createPlanePki({ algorithm, now: NOW, serverSans: SERVER_SANS })
  })

  test('has the files that the components need, and no others', () => {
    const certified = [
      'apiserver',
      'ca',
      'controller-manager',
      'controller-manager-server',
      'front-proxy-ca',
      'front-proxy-client',
      'signing-ca',
    ]
    const names = certified.flatMap((name) => [`${name}.crt`, `${name}.key`])
    expect(Object.keys(files).sort()).toEqual(
      [...names, 'client-ca.crt', 'sa.key', 'sa.pub'].sort(),
    )
  })

  test('has three CAs with different names and keys', () => {
    const authorities = ['ca', 'signing-ca', 'front-proxy-ca'].map((name) => {
      const certificate = read(file(`${name}.crt`))
      expect(certificate.checkPrivateKey(createPrivateKey(file(`${name}.key`)))).toBe(true)
      return certificate
    })

    expect(authorities).toMatchObject([
      { ca: true, subject: 'CN=kubernetes' },
      { ca: true, subject: 'CN=kubernetes-signing' },
      { ca: true, subject: 'CN=front-proxy-ca' },
    ])
    const keys = authorities.map(({ publicKey }) => publicKey.export({ format: 'jwk' }))
    expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(3)
  })

  test.for([
    ['apiserver', 'kube-apiserver', 'ca', SERVER_AUTH, API_NAMES],
    ['controller-manager', 'system:kube-controller-manager', 'ca', CLIENT_AUTH, undefined],
    ['controller-manager-server', 'kube-controller-manager', 'ca', SERVER_AUTH, LOOPBACK],
    ['front-proxy-client', 'front-proxy-client', 'front-proxy-ca', CLIENT_AUTH, undefined],
  ] as const)('issues %s to %s, signed by %s', async ([name, user, authority, usage, names]) => {
    const leaf = read(file(`${name}.crt`))

    expect({ ...leaf.toLegacyObject().subject }).toEqual({ CN: user })
    expect(leaf.keyUsage).toEqual([usage])
    expect(leaf.subjectAltName).toBe(names)
    expect(leaf.publicKey.asymmetricKeyType).toBe(algorithm === 'rsa' ? 'rsa' : 'ec')
    expect(leaf.checkPrivateKey(createPrivateKey(file(`${name}.key`)))).toBe(true)
    expect(leaf.validToDate.getTime()).toBe(Math.floor(daysLater(365).getTime() / 1000) * 1000)
    const [trusted, purpose] = [file(`${authority}.crt`), purposeOf(usage)]
    expect(await opensslVerify({ trusted, leaf: file(`${name}.crt`), purpose })).toBe('OK')
  })

  test('has an RSA key for ServiceAccount tokens and its public half in a list', async () => {
    const key = createPrivateKey(file('sa.key'))

    expect(key.asymmetricKeyType).toBe('rsa')
    expect(key.asymmetricKeyDetails?.modulusLength).toBe(2048)
    expect(await opensslKey(file('sa.key'))).toContain('Key is valid')
    expect(file('sa.pub').match(/-----BEGIN PUBLIC KEY-----/g)).toHaveLength(1)
    expect(createPublicKey(file('sa.pub')).equals(createPublicKey(key))).toBe(true)
  })

  test('the client CA bundle has the CA and the signing CA', () => {
    const bundle = parseCertificates(file('client-ca.crt'), 'client-ca.crt')

    expect(bundle.map(String)).toEqual([file('ca.crt'), file('signing-ca.crt')])
  })

  test.for([
    ['the front proxy', 'the API server', 'client-ca', 'front-proxy-client'],
    ['kube-controller-manager', 'the front proxy', 'front-proxy-ca', 'controller-manager'],
  ] as const)('%s is no client of %s', async ([, , authority, name]) => {
    const [trusted, leaf] = [file(`${authority}.crt`), file(`${name}.crt`)]

    const verdict = await opensslVerify({ trusted, leaf, purpose: 'sslclient' })

    expect(verdict).toContain('verification failed')
  })
})

test('refuses an invalid name before anything is written', async () => {
  const creating = createPlanePki({ algorithm: 'ecdsa', now: NOW, serverSans: ['not a host'] })

  await expect(creating).rejects.toMatchObject({ code: 'INVALID_SPEC' })
})

test.for([
  ['scheduler', 'CN=system:kube-scheduler', undefined],
  ['scheduler-server', 'CN=kube-scheduler', LOOPBACK],
] as const)('issues %s to %s by the CA of the plane', ([name, subject, names]) => {
  const authority = authorityOf('kubernetes')

  const files = createSchedulerPki({ authority, algorithm: 'ecdsa', now: NOW })

  const leaf = read(files[`${name}.crt`] ?? '')
  expect(leaf.subject).toBe(subject)
  expect(leaf.subjectAltName).toBe(names)
  expect(leaf.verify(read(authority.certificate).publicKey)).toBe(true)
})
