import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { sendStatus } from '../../support/api/fake-api-server.ts'
import { servedClient } from '../../support/api/served-client.ts'

const LOG = '/api/v1/namespaces/default/pods/a/log?follow=true'

test('gives a text as it comes, and ends with it', async () => {
  const { client, server } = await servedClient((_, response) => {
    response.write('one\n')
    response.end('two\n')
  })

  expect(await textOf(client.stream(LOG, new AbortController()))).toBe('one\ntwo\n')
  const headers = { accept: 'application/json, */*' }
  expect(server.requests[0]).toMatchObject({ query: { follow: 'true' }, headers })
})

test('gives what is there before there is more', async () => {
  const { client, server } = await servedClient((_, response) => void response.write('one\n'))

  for await (const text of client.stream(LOG, { signal: AbortSignal.timeout(5000) })) {
    expect(text).toBe('one\n')
    break
  }

  await server.openConnections(0)
})

test('never tears a character', async () => {
  const bytes = Buffer.from('vier €')
  const { client } = await servedClient((_, response) => writeEach(response, bytes))

  const pieces = await Array.fromAsync(client.stream(LOG, { signal: AbortSignal.timeout(5000) }))

  expect(pieces.join('')).toBe('vier €')
  expect(pieces.join('|')).not.toContain('\uFFFD')
})

test('bears a silence that would end a request', async () => {
  const said = Promise.withResolvers<void>()
  const { client } = await servedClient(
    async (request, response) => {
      if (request.path === '/version') {
        return
      }
      response.flushHeaders()
      await said.promise
      response.end('late\n')
    },
    { silenceMs: 40, idleMs: 40 },
  )
  const text = textOf(client.stream(LOG, { signal: AbortSignal.timeout(5000) }))

  await expect(client.get('/version')).rejects.toMatchObject({ code: 'TIMED_OUT' })
  said.resolve()

  expect(await text).toBe('late\n')
})

test('says what the server refuses', async () => {
  const { client } = await servedClient((_, response) =>
    sendStatus(response, 404, { message: 'pods "a" not found' }),
  )

  const text = textOf(client.stream(LOG, { signal: AbortSignal.timeout(5000) }))

  await expect(text).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'pods "a" not found' })
})

test('says that the connection broke, and asks no second time', async () => {
  const { client, server } = await servedClient((_, response) => {
    response.write('one\n', () => response.socket?.destroy())
  })

  const text = textOf(client.stream(LOG, { signal: AbortSignal.timeout(5000) }))

  await expect(text).rejects.toMatchObject({ code: 'UNREACHABLE' })
  expect(server.requests).toHaveLength(1)
})

test('throws the reason of the signal that ends it, and closes the connection', async () => {
  const { client, server } = await servedClient((_, response) => response.flushHeaders())
  const controller = new AbortController()
  const reason = new Error('enough')
  const failure = expect(textOf(client.stream(LOG, controller))).rejects.toBe(reason)
  await server.openConnections(1)

  controller.abort(reason)

  await failure
  await server.openConnections(0)
})

test('reads no further than its consumer', async () => {
  let written = 0
  const { client } = await servedClient(async (_, response) => {
    while (!response.destroyed && written < 200) {
      written += 1
      if (!response.write('x'.repeat(1024 * 1024))) {
        await Promise.race([once(response, 'drain'), once(response, 'close')])
      }
    }
  })

  for await (const text of client.stream(LOG, { signal: AbortSignal.timeout(5000) })) {
    expect(text.length).toBeGreaterThan(0)
    await client.text('/livez', { signal: AbortSignal.timeout(300) }).catch(() => {})
    break
  }

  expect(written).toBeLessThan(50)
})

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  return (await Array.fromAsync(pieces)).join('')
}

/** One byte at a time, each in a chunk of its own. */
async function writeEach(response: ServerResponse, bytes: Buffer): Promise<void> {
  for (const byte of bytes) {
    await new Promise((resolve) => response.write(Buffer.from([byte]), resolve))
  }
  response.end()
}
