import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { getOver } from '../../../src/shared/network/request-over.ts'
import { listenOnLoopback } from '../../support/api/fake-api-server.ts'

const { signal } = new AbortController()
const OPTIONS = { path: '/metrics', host: 'etcd-0', signal }

test('reads a page over a stream, and nothing when the server refuses', async () => {
  expect(await getOver(await streamTo(200), OPTIONS)).toBe('/metrics of etcd-0')
  expect(await getOver(await streamTo(404), OPTIONS)).toBeUndefined()
})

test('fails when the stream breaks', async () => {
  const stream = await streamTo(200)

  const reading = getOver(stream, OPTIONS)
  stream.destroy(new Error('broken'))

  await expect(reading).rejects.toThrow('broken')
})

/** A way to a server that says what it was asked for. */
async function streamTo(status: number): Promise<Socket> {
  const server = createServer(({ headers, url }, response) => {
    response.writeHead(status).end(`${url} of ${headers.host}`)
  })
  onTestFinished(() => void server.close())
  return connect(await listenOnLoopback(server), '127.0.0.1')
}
