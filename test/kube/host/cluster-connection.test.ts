import { expect, test } from 'vitest'
import { toClusterConnection } from '../../../src/kube/host/cluster-connection.ts'
import { KubeconfigEntry } from '../../../src/kube/host/kubeconfig/kubeconfig-entry.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { base64 } from './kubeconfigs.ts'

const SERVER = { server: 'https://api.example.com:6443' }

test('reads what leads to a server', () => {
  const connection = connectionOf({
    ...SERVER,
    'certificate-authority-data': base64('PEM'),
    'tls-server-name': 'kubernetes',
    'proxy-url': 'socks5://proxy:1080',
    extensions: [
      { name: 'other', extension: 1 },
      { name: 'client.authentication.k8s.io/exec', extension: { audience: 'a' } },
    ],
  })

  expect(connection).toEqual({
    server: 'https://api.example.com:6443',
    serverName: 'kubernetes',
    isInsecure: false,
    authority: { what: 'certificate authority of cluster "c"', data: 'PEM' },
    proxy: new URL('socks5://proxy:1080'),
    proxyUrl: 'socks5://proxy:1080',
    execConfig: { audience: 'a' },
  })
})

test.for([
  ['https://a/', {}, 'https://a'],
  ['https://a/clusters/one/?x#y', {}, 'https://a/clusters/one'],
  ['http://a:8080', {}, 'http://a:8080'],
  ['a:6443', {}, 'http://a:6443'],
  ['a:6443', { 'insecure-skip-tls-verify': true }, 'https://a:6443'],
  ['[fd00::1]:6443', { 'certificate-authority': 'ca.crt' }, 'https://[fd00::1]:6443'],
] as const)('finds the server %s with %j at %s', ([server, more, found]) => {
  expect(connectionOf({ server, ...more }).server).toBe(found)
})

test('prefers the authority in the kubeconfig to the one in a file', () => {
  const file = { ...SERVER, 'certificate-authority': 'ca.crt' }

  expect(connectionOf(file).authority).toMatchObject({ data: undefined, file: '/k/ca.crt' })
  expect(
    connectionOf({ ...file, 'certificate-authority-data': base64('PEM') }).authority,
  ).toMatchObject({ data: 'PEM', file: undefined })
})

test('uses the proxy of the environment when the cluster has none', () => {
  const environment = { HTTPS_PROXY: 'http://everywhere:3128' }

  expect(connectionOf(SERVER, environment)).toMatchObject({
    proxy: new URL('http://everywhere:3128'),
    proxyUrl: undefined,
  })
  expect(connectionOf({ ...SERVER, 'proxy-url': 'http://own' }, environment).proxy?.host).toBe(
    'own',
  )
})

test.for([
  [{}, 'it names no server'],
  [{ server: 'ftp://a' }, '"ftp://a" is not the address of a server'],
  [{ server: 'https://' }, '"https://" is not the address of a server'],
  [
    { ...SERVER, 'insecure-skip-tls-verify': true, 'certificate-authority': 'ca.crt' },
    'it has both a certificate authority and insecure-skip-tls-verify',
  ],
] as const)('refuses %j', ([fields, why]) => {
  expect(thrownBy(() => connectionOf(fields))).toMatchObject({
    code: 'FAILED',
    message: `cluster "c" in "/k/config": ${why}`,
  })
})

test('does not repeat a refused proxy, which may contain a password', () => {
  const error = thrownBy(() => connectionOf({ ...SERVER, 'proxy-url': 'ftp://jo:hunter2@a' }))

  expect(error.message).toContain('"proxy-url" of cluster "c" is not the address of a proxy')
  expect(error.message).not.toContain('hunter2')
})

function connectionOf(fields: object, environment = {}) {
  return toClusterConnection(new KubeconfigEntry('cluster "c"', '/k/config', fields), environment)
}
