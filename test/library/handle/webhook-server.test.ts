import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createTcpServer, type Server } from 'node:net'
import { createServer } from 'node:https'
import { expect, test } from 'vitest'
import type { WebhookServing } from '../../../src/library/index.ts'
import { prepareWebhookServing, webhooksOf } from '../../../src/library/handle/webhook-server.ts'

test('has a certificate for its host and for loopback, from its own CA', async () => {
  const one = await prepareWebhookServing({ host: 'webhooks.test', port: 9443 }, new Date())
  const other = await prepareWebhookServing({ host: 'webhooks.test', port: 9443 }, new Date())

  const certificate = new X509Certificate(one.certificate)
  expect(certificate.checkHost('webhooks.test')).toBe('webhooks.test')
  expect(certificate.checkHost('localhost')).toBe('localhost')
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
  expect(certificate.checkIP('::1')).toBe('::1')
  expect(certificate.verify(new X509Certificate(one.certificateAuthority).publicKey)).toBe(true)
  expect(certificate.verify(new X509Certificate(other.certificateAuthority).publicKey)).toBe(false)
})

test('is good for a day', async () => {
  const now = new Date()

  const { certificate } = await prepareWebhookServing({}, now)

  const { validToDate } = new X509Certificate(certificate)
  expect((validToDate.getTime() - now.getTime()) / 3_600_000).toBeCloseTo(24, 2)
})

test('listens on the wanted port, or on a free one', async () => {
  const told = await prepareWebhookServing({ port: 9443 }, new Date())
  const found = await prepareWebhookServing({}, new Date())

  expect(told).toMatchObject({ host: '127.0.0.1', port: 9443 })
  expect(found.port).toBeGreaterThanOrEqual(20_000)
  expect(found.port).toBeLessThan(32_768)
})

test('takes no port that is reserved', async () => {
  const all = Array.from({ length: 12_768 }, (_, index) => 20_000 + index)
  const reserved = new Set(all.filter((port) => port % 8 !== 0))

  const { port } = await prepareWebhookServing({}, new Date(), async () => reserved)

  expect(port % 8).toBe(0)
})

test('waits for a server with its certificate', async () => {
  const serving = await prepareWebhookServing({}, new Date())

  const waiting = webhooksOf(serving).waitUntilServed()
  await using _server = await serve(serving, serving)

  await expect(waiting).resolves.toBeUndefined()
})

test('does not take a server with another certificate for it', async () => {
  const serving = await prepareWebhookServing({}, new Date())
  const other = await prepareWebhookServing({}, new Date())
  await using _server = await serve(serving, other)

  const waiting = webhooksOf(serving).waitUntilServed({ timeoutMs: 200 })

  await expect(waiting).rejects.toMatchObject({
    code: 'TIMED_OUT',
    message: expect.stringContaining(`127.0.0.1:${serving.port}`),
  })
})

test('gives up at the deadline on a silent server', async () => {
  const silent = createTcpServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const serving = await prepareWebhookServing({ port: portOf(silent) }, new Date())

  const waiting = webhooksOf(serving).waitUntilServed({ timeoutMs: 100 })

  await expect(waiting).rejects.toMatchObject({ code: 'TIMED_OUT' })
  silent.close()
})

test('stops waiting when it is aborted', async () => {
  const serving = await prepareWebhookServing({}, new Date())

  const waiting = webhooksOf(serving).waitUntilServed({ signal: AbortSignal.timeout(20) })

  await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' })
})

test('reports that it cannot listen on the address of another machine', async () => {
  await expect(prepareWebhookServing({ host: '192.0.2.1' }, new Date())).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('cannot listen on "192.0.2.1"'),
  })
})

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function serve(
  { host, port }: WebhookServing,
  { certificate, key }: WebhookServing,
): Promise<AsyncDisposable> {
  const server = createServer({ cert: certificate, key }).listen(port, host)
  await once(server, 'listening')
  return {
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
