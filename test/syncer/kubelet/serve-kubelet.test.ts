import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { expect, test } from 'vitest'
import type { CertificateUsage } from '../../../src/pki/x509/certificate-extensions.ts'
import type { KubeletOptions } from '../../../src/syncer/kubelet/serve-kubelet.ts'
import { issueCertificate } from '../../../src/pki/issue/issue-certificate.ts'
import { soon } from '../../support/soon.ts'
import { createTestCertificates } from '../../support/test-certificates.ts'
import type { FakeKubelet } from './fake-kubelet.ts'
import { ask, CERTIFICATES, change, CLIENT, startKubelet, TLS } from './fake-kubelet.ts'

const EXEC = '/exec/team/web/app'

test('says that it is well', async () => {
  await using kubelet = await startKubelet()

  const { body, headers, status } = await ask(kubelet, '/healthz')

  expect({ status, body }).toEqual({ status: 200, body: 'ok' })
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
})

const STRANGERS = [
  ['without a certificate', undefined],
  ['of another CA', createTestCertificates().client],
  ['for servers', issued('tester', { usages: ['serverAuth'] })],
  ['that has ended', issued('tester', { startedAt: Date.now() - 7_200_000 })],
] as const

test.for(STRANGERS)('knows nobody with a certificate %s', async ([, identity]) => {
  await using kubelet = await startKubelet()
  const stranger = { identity, headers: { authorization: 'Bearer good' } }
  const refusal = { status: 401, body: 'Unauthorized' }

  for (const path of ['/healthz', '/pods', '/containerLogs/team/web/app', '/nowhere']) {
    expect(await ask(kubelet, path, stranger)).toMatchObject(refusal)
  }
  await expect(change(kubelet, EXEC, stranger)).rejects.toMatchObject(refusal)
  expect(kubelet.host.connections()).toBe(0)
})

test('lets in nobody of the same CA with another name', async () => {
  await using kubelet = await startKubelet()
  const identity = issued('system:node:node-1')

  const refusal = { status: 403, body: 'Forbidden (user=system:node:node-1)' }
  for (const path of ['/healthz', '/containerLogs/team/web/app']) {
    expect(await ask(kubelet, path, { identity })).toMatchObject(refusal)
  }
  await expect(change(kubelet, EXEC, { identity })).rejects.toMatchObject(refusal)
  expect(kubelet.host.connections()).toBe(0)
})

test.for([
  ['a token that is good for it', { authorization: 'Bearer good' }, undefined, 200],
  ['a certificate that is good for it', {}, issued('reader'), 200],
  ['a token of someone who may not', { authorization: 'bearer other' }, undefined, 403],
  ['a token of nobody', { authorization: 'Bearer bad' }, undefined, 401],
  ['another kind of secret', { authorization: 'Basic good' }, undefined, 401],
  ['nothing', {}, undefined, 401],
] as const)('gives a page to readers with %s', async ([, headers, identity, status]) => {
  await using kubelet = await startKubelet({ options: READABLE })

  const answer = await ask(kubelet, '/figures', { headers, identity })

  expect(answer.status).toBe(status)
  expect(answer.body === 'much').toBe(status === 200)
})

test('lets readers do nothing else', async () => {
  await using kubelet = await startKubelet({ options: READABLE })
  const asked = { headers: { authorization: 'Bearer good' }, identity: undefined }

  for (const path of ['/pods', '/figures/', '/containerLogs/team/web/app', '/toString']) {
    expect(await ask(kubelet, path, asked)).toMatchObject({ status: 401 })
  }
  const posted = await ask(kubelet, '/figures', { ...asked, method: 'POST' })
  expect(posted).toMatchObject({ status: 401 })
  await expect(change(kubelet, EXEC, asked)).rejects.toMatchObject({ status: 401 })
  expect(kubelet.host.connections()).toBe(0)
})

test('serves no end of people whom it does not know', async () => {
  await using kubelet = await startKubelet()
  const base = { host: '127.0.0.1', port: kubelet.server.port, ca: TLS.authorities }
  const strangers = Array.from({ length: 60 }, () => connect(base).on('error', () => {}))
  const closed = () => strangers.filter((socket) => socket.closed).length
  strangers.forEach((socket) => socket.resume())

  await soon('ends', () => closed() === 10)
  expect(await ask(kubelet, '/healthz')).toMatchObject({ status: 200 })

  strangers.forEach((socket) => socket.destroy())
})

test('speaks no TLS below 1.2 and no HTTP/2', async () => {
  await using kubelet = await startKubelet()
  const base = ofClient(kubelet)

  const old = connect({ ...base, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' })
  const [refusal] = await once(old, 'error')
  const both = connect({ ...base, ALPNProtocols: ['h2', 'http/1.1'] })
  await once(both, 'secureConnect')

  expect(String(refusal)).toMatch(/protocol|version/i)
  expect(both.alpnProtocol).toBe('http/1.1')
  both.destroy()
})

test.for([
  ['GET', '/', 404],
  ['GET', '/run/team/web/app', 404],
  ['GET', '/logs/', 404],
  ['GET', '/containerLogs/team/web', 404],
  ['GET', '/containerLogs/team/other/app', 404],
  ['GET', '/containerLogs/other/web/app', 404],
  ['GET', '/containerLogs/team/%2e%2e/app', 400],
  ['GET', '/containerLogs/team/..%2Fweb/app', 400],
  ['POST', '/containerLogs/team/web/app', 405],
  ['POST', '/healthz', 405],
  ['GET', '/exec/team/web/app', 400],
  ['POST', '/attach/team/web/app', 400],
  ['GET', '/portForward/team/web', 400],
  ['GET', '/pods', 501],
  ['GET', '/metrics/resource', 404],
  ['GET', '/metrics/cadvisor', 404],
] as const)('answers %s %s with %d, without the host', async ([method, path, status]) => {
  await using kubelet = await startKubelet()

  const answer = await ask(kubelet, path, { method })

  expect(answer.status).toBe(status)
  expect(answer.body).not.toBe('')
  expect(kubelet.host.connections()).toBe(0)
})

test('says that a pod does not exist as kubelets do, and which methods there are', async () => {
  await using kubelet = await startKubelet()

  expect((await ask(kubelet, '/containerLogs/team/other/app')).body).toBe(
    'pod "other" does not exist',
  )
  // A host may have added containers that the plane's users must not enter.
  expect(await ask(kubelet, '/containerLogs/team/web/istio-proxy')).toMatchObject({
    status: 404,
    body: 'container "istio-proxy" of pod "web" does not exist',
  })
  const { headers } = await ask(kubelet, '/exec/team/web/app', { method: 'PUT' })
  expect(headers.allow).toBe('GET, POST')
})

test('serves the pages it is given, in place of its own', async () => {
  const json = { status: 200, contentType: 'application/json' }
  const pages: KubeletOptions['pages'] = {
    '/pods': { answer: ({ query }) => ({ ...json, body: JSON.stringify(query.get('limit')) }) },
    '/stats/summary': { answer: () => Promise.reject(new Error('no statistics today')) },
  }
  await using kubelet = await startKubelet({ options: { pages } })

  const pods = await ask(kubelet, '/pods?limit=5')
  const summary = await ask(kubelet, '/stats/summary')

  expect(pods).toMatchObject({ status: 200, body: '["5"]' })
  expect(pods.headers['content-type']).toBe('application/json')
  expect(summary).toMatchObject({ status: 500, body: 'no statistics today' })
})

test('takes another certificate and other authorities while it runs', async () => {
  await using kubelet = await startKubelet()
  using stream = await change(kubelet, EXEC)
  const next = createTestCertificates()

  kubelet.server.setTls({ ...TLS, authorities: next.authority.certificate })

  expect(await ask(kubelet, '/healthz')).toMatchObject({ status: 401 })
  expect(await ask(kubelet, '/healthz', { identity: next.client })).toMatchObject({ status: 200 })
  expect(stream.socket.destroyed).toBe(false)

  kubelet.server.setTls({ ...TLS, ...issued('system:node:node-1', { usages: ['serverAuth'] }) })

  expect(await commonNameOf(kubelet)).toBe('system:node:node-1')
})

test.for([
  ['another key', { key: createTestCertificates().server.key }],
  ['no authorities', { authorities: '' }],
  ['no certificate', { certificate: 'x' }],
] as const)('refuses %s, and keeps what it has', async ([, wrong]) => {
  await using kubelet = await startKubelet()

  const change = () => kubelet.server.setTls({ ...TLS, ...wrong })

  expect(change).toThrow(expect.objectContaining({ code: 'FAILED' }))
  const starting = startKubelet({ options: { tls: { ...TLS, ...wrong } } })
  await expect(starting).rejects.toMatchObject({ code: 'FAILED' })
  expect(await ask(kubelet, '/healthz')).toMatchObject({ status: 200 })
})

test('resumes no session: every client shows its certificate', async () => {
  await using kubelet = await startKubelet()
  const base = { ...ofClient(kubelet), maxVersion: 'TLSv1.2' } as const
  const first = connect(base)
  await once(first, 'secureConnect')
  const session = first.getSession()
  first.destroy()

  const second = connect({ ...base, ...(session !== undefined && { session }) })
  await once(second, 'secureConnect')

  expect(second.isSessionReused()).toBe(false)
  second.destroy()
})

test('lets nobody take long to say who it is or what it wants', async () => {
  await using kubelet = await startKubelet({ options: { requestMs: 500 } })
  const silent = connectTcp(kubelet.server.port, '127.0.0.1')
  const closed = once(silent.resume(), 'close')
  const slow = connect(ofClient(kubelet))

  slow.write('GET /healthz HTTP/1.1\r\nHost:')

  expect(await text(slow)).toMatch(/^HTTP\/1\.1 408 /)
  await closed
})

test('says that another program has its port', async () => {
  await using kubelet = await startKubelet()
  const { port } = kubelet.server

  await expect(startKubelet({ options: { port } })).rejects.toMatchObject({
    code: 'FAILED',
    message: `another program listens on 127.0.0.1:${port}`,
  })
})

test('says where it cannot listen', async () => {
  const message = /^cannot listen on 192\.0\.2\.1:1 for the kubelet of node "node-1": /
  const failure = { code: 'FAILED', message: expect.stringMatching(message) }

  const starting = startKubelet({ options: { address: '192.0.2.1', port: 1 } })

  await expect(starting).rejects.toMatchObject(failure)
})

test('ends everything with it', async () => {
  await using kubelet = await startKubelet({
    answer: (_, response) => void response.write('line\n'),
  })
  using stream = await change(kubelet, EXEC)
  const log = ask(kubelet, '/containerLogs/team/web/app?follow=true')
  const ended = once(stream.socket.resume(), 'end')
  const broken = expect(log).rejects.toThrow()
  await kubelet.host.openConnections(2)

  await kubelet.server[Symbol.asyncDispose]()

  await broken
  await ended
  await kubelet.host.openConnections(0)
})

const READABLE: Partial<KubeletOptions> = {
  pages: {
    '/figures': {
      answer: () => ({ status: 200, body: 'much' }),
      mayRead: async ({ client, token }) => {
        if (client === 'reader' || token === 'good') {
          return 'allowed'
        }
        return token === 'other' ? 'forbidden' : 'unknown'
      },
    },
  },
}

function issued(
  commonName: string,
  {
    startedAt = Date.now(),
    usages = ['clientAuth'],
  }: { usages?: readonly [CertificateUsage]; startedAt?: number } = {},
) {
  return issueCertificate(CERTIFICATES.authority, {
    commonName,
    usages,
    sans: ['127.0.0.1'],
    algorithm: 'ecdsa',
    lifetimeMs: 3_600_000,
    now: new Date(startedAt),
  })
}

/** How the plane's kube-apiserver connects. */
const ofClient = ({ server }: FakeKubelet) => ({ host: '127.0.0.1', port: server.port, ...CLIENT })

async function commonNameOf(kubelet: FakeKubelet): Promise<unknown> {
  const socket = connect(ofClient(kubelet))
  await once(socket, 'secureConnect')
  const name = socket.getPeerCertificate().subject.CN
  socket.destroy()
  return name
}
