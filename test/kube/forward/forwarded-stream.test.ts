import { once } from 'node:events'
import { buffer, text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Patience } from '../../../src/kube/connection.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import type { FakeForward } from '../../support/api/fake-forwards.ts'
import { forwardTo, shout, startForwards } from '../../support/api/fake-forwards.ts'
import { endsWithTest } from '../../support/ends-with-test.ts'

const MIB = 1024 * 1024

test('carries bytes both ways, without the headers of the channels', async () => {
  const { server, stream } = await forwarded()

  stream.write('hello')

  expect(String(await nextOf(stream))).toBe('HELLO')
  expect(server.forwards[0]?.received()).toBe('hello')
})

test('skips a header that comes in pieces and together with data', async () => {
  const { stream } = await forwarded(({ websocket }) => {
    websocket.send(Buffer.from([0]))
    websocket.send(Buffer.concat([Buffer.from([0]), Buffer.from('data')]))
    websocket.close(1000)
  })

  expect(await text(stream)).toBe('data')
})

test('loses nothing that comes before someone reads', async () => {
  const { stream } = await forwarded(({ say }) => void say('220 ready\r\n'))
  await turn()

  expect(String(await nextOf(stream))).toBe('220 ready\r\n')
})

test('carries what is larger than a frame', async () => {
  const { stream } = await forwarded()
  const sent = Buffer.alloc(3 * MIB, 'x')

  stream.write(sent)

  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size === sent.length) {
      break
    }
  }
  expect(size).toBe(sent.length)
})

test('reads everything before the end, however late', async () => {
  const { server, stream } = await forwarded(sayMuch)
  await turn()

  expect((await buffer(stream)).length).toBe(32 * MIB)
  await server.openConnections(0)
})

test('takes no more than its reader reads', async () => {
  let taken = 0
  const { stream } = await forwarded(async ({ say, websocket }) => {
    while (websocket.readyState === websocket.OPEN && taken < 256) {
      await say(Buffer.alloc(MIB))
      taken += 1
    }
  })

  await nextOf(stream)
  await settled(() => taken)

  expect(taken).toBeLessThan(64)
  expect(stream.readableLength).toBeLessThan(8 * MIB)
})

test('takes from its writer no more than the other side takes', async () => {
  const { stream } = await forwarded(({ websocket }) => websocket.pause())
  let written = 0

  const write = async () => {
    while (written < 256 && !stream.destroyed) {
      written += 1
      if (!stream.write(Buffer.alloc(MIB))) {
        await Promise.race([once(stream, 'drain'), once(stream, 'close')])
      }
    }
  }
  const writing = write().catch(() => {})
  await settled(() => written)

  expect(written).toBeLessThan(64)
  stream.destroy()
  await writing
})

test('fails with what the other side complains of', async () => {
  const { server, stream } = await forwarded(({ complain }) =>
    complain('failed to find sandbox "abc"\nin store'),
  )

  await expect(text(stream)).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: 'cannot reach port 6443 of pod "api-1": failed to find sandbox "abc" in store',
  })
  await server.openConnections(0)
})

test('says in short that nothing listens', async () => {
  const said =
    'error forwarding port 6443 to pod 0a, uid : dial tcp4 127.0.0.1:6443: connect: connection refused'
  const { stream } = await forwarded(({ complain }) => complain(said))

  await expect(text(stream)).rejects.toMatchObject({
    message: 'cannot reach port 6443 of pod "api-1": nothing listens there',
    cause: { message: said },
  })
})

test('fails when the connection breaks', async () => {
  const { stream } = await forwarded(({ websocket }) => websocket.terminate())

  await expect(text(stream)).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: 'cannot reach port 6443 of pod "api-1": the connection broke',
  })
})

test('closes the websocket when it is destroyed', async () => {
  const { server, stream } = await forwarded()
  await server.openConnections(1)

  stream.destroy()

  await server.openConnections(0)
})

test('ends for its writer when the other side has ended', async () => {
  const { stream } = await forwarded(({ websocket }) => websocket.close(1000))

  expect(await text(stream)).toBe('')
  await expect.poll(() => stream.closed).toBe(true)
  expect(stream.errored).toBeNull()
})

test('lets the other side finish after its writer has ended', async () => {
  const { stream } = await forwarded(({ say, websocket }) => {
    websocket.on('message', async () => {
      await say('answer')
      websocket.close(1000)
    })
  })

  stream.end('question')

  expect(await text(stream)).toBe('answer')
})

test.for([
  ['', { lingerMs: 30 }],
  [', also while the server is alive', { lingerMs: 40, pingMs: 5 }],
] as const)('waits for the last word no longer than it lingers%s', async ([, patience]) => {
  const { server, stream } = await forwarded(shout, patience)
  stream.resume()

  stream.end()

  await server.openConnections(0)
  expect(stream.errored).toBeNull()
})

test('asks for signs of life, and continues while it gets them', async () => {
  let pings = 0
  const { server, stream } = await forwarded(shout, { pingMs: 10 })
  server.forwards[0]?.websocket.on('ping', () => (pings += 1))
  stream.resume()

  await expect.poll(() => pings).toBeGreaterThan(5)

  expect(stream.destroyed).toBe(false)
})

test('gives up on a server that shows no sign of life', async () => {
  const { server, stream } = await forwarded(shout, { isMute: true, pingMs: 10 })

  await expect(text(stream)).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: 'cannot reach port 6443 of pod "api-1": the host cluster no longer answers',
  })
  await server.openConnections(0)
})

test('breaks when a server does not show the sign of life that was asked for', async () => {
  const { stream } = await forwarded(shout, { isMute: true })
  stream.on('error', () => {}).write('hello')
  await once(stream, 'data')

  stream.probe(20)

  await expect.poll(() => stream.destroyed).toBe(true)
  expect(stream.errored).toMatchObject({ code: 'UNREACHABLE' })
})

test('continues when a server shows the sign of life that was asked for', async () => {
  const { server, stream } = await forwarded()
  stream.write('hello')
  await once(stream, 'data')
  const [forward] = server.forwards
  const ping = once(forward?.websocket ?? stream, 'ping')

  stream.probe(5000)
  await ping
  stream.write('still there')

  expect(String(await once(stream, 'data'))).toBe('STILL THERE')
})

test('does not take its own silence for that of the server', async () => {
  const { stream } = await forwarded(sayMuch, { pingMs: 20 })
  await nextOf(stream)
  await settled(() => stream.readableLength, 60)

  expect(stream.destroyed).toBe(false)
  expect((await buffer(stream)).length).toBeGreaterThan(30 * MIB)
})

/** Sends 32 MiB, as frames of a half, and ends. */
function sayMuch({ say, websocket }: FakeForward): void {
  for (let index = 0; index < 64; index += 1) {
    void say(Buffer.alloc(MIB / 2, index))
  }
  websocket.close(1000)
}

/** A stream to a port of a pod, and the server that forwards it. */
async function forwarded(
  onForward: (forward: FakeForward) => void = shout,
  { isMute = false, ...patience }: Partial<Patience> & { isMute?: boolean } = {},
) {
  const server = endsWithTest(await startForwards({ onForward, isMute }))
  return { server, stream: endsWithTest(await forwardTo(server, { patience })) }
}

async function nextOf(stream: NodeJS.ReadableStream): Promise<unknown> {
  for (;;) {
    const chunk: unknown = stream.read()
    if (chunk !== null) {
      return chunk
    }
    await once(stream, 'readable')
  }
}

/** Waits until a number has stopped to grow. */
async function settled(read: () => number, looks = 30): Promise<void> {
  let last = -1
  let same = 0
  await waitFor(
    () => {
      same = read() === last ? same + 1 : 0
      last = read()
      return Promise.resolve(same >= looks)
    },
    { what: 'a number to stay', timeoutMs: 8000, intervalMs: 5 },
  )
}
