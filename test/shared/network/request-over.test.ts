import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { getOver } from '../../../src/shared/network/request-over.ts'

const { signal } = new AbortController()
const OPTIONS = { path: '/metrics', host: 'etcd-0', signal }

test('reads a page over a stream', async () => {
  const stream = await streamTo(200)

  expect(await getOver(stream, OPTIONS)).toBe('/metrics of etcd-0')
})

test('returns nothing when the server refuses', async () => {
  const stream = await streamTo(404)

  expect(await getOver(stream, OPTIONS)).toBeUndefined()
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
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  expect.assert(typeof address === 'object' && address !== null)
  return connect(address.port, '127.0.0.1')
}
