import { once } from 'node:events'
import { connect } from 'node:net'
import { Duplex, PassThrough } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { VplaneError } from '../../../src/shared/errors.ts'
import { isFree, isListening } from '../../../src/shared/network/ports.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import type { Dial } from '../../../src/tunnel/connections/dial.ts'
import { listenTunnel } from '../../../src/tunnel/connections/listen-tunnel.ts'
import { openTunnel, openTunnelTo } from '../open-tunnel.ts'
import { answeredClient, answerTo, connectTo, inTurn, refused } from '../tcp-server.ts'
import { startTcpServer } from '../tcp-server.ts'

test('carries what both sides say, and lets either end first', async () => {
  const { server, tunnel } = await openTunnelTo((socket) => {
    socket.on('data', (chunk) => socket.write(`<${String(chunk)}>`))
    socket.on('end', () => socket.end('bye'))
  })

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('<hello>bye')
  await server.open(0)
})

test('ends a connection that the server ends, and takes the last words of its client', async () => {
  const heard: string[] = []
  const { server, tunnel } = await openTunnelTo((socket) => {
    socket.once('data', () => socket.end('that is all'))
    socket.on('data', (chunk) => heard.push(String(chunk)))
  })
  const client = await connectTo(tunnel.port)

  client.write('one')
  await once(client.resume(), 'end')
  client.end('two')

  await expect.poll(() => heard).toEqual(['one', 'two'])
  await server.open(0)
})

test('dials nothing for those who only check that it listens', async () => {
  const { server, tunnel } = await openTunnelTo()

  expect(await isListening(tunnel.port)).toBe(true)
  expect(await answerTo(await connectTo(tunnel.port), 'x')).toBe('x')

  expect(server.sockets).toHaveLength(1)
})

test('dials afresh for each connection, 200 at once', async () => {
  const { server, tunnel } = await openTunnelTo()
  const words = Array.from({ length: 200 }, (_, index) => `hello from ${index}`)

  const clients = await Promise.all(words.map(() => connectTo(tunnel.port)))
  clients.forEach((client, index) => client.write(words[index] ?? ''))
  await server.open(200)
  expect(tunnel.connections).toBe(200)
  const answers = await Promise.all(clients.map((client) => answerTo(client, '')))

  expect(answers).toEqual(words)
  await expect.poll(() => tunnel.connections).toBe(0)
})

test('reads no more from a server than its client takes', async () => {
  const chunk = Buffer.alloc(64 * 1024)
  let sentBytes = 0
  const { server, tunnel } = await openTunnelTo((socket) => {
    const fill = () => {
      while (!socket.destroyed && socket.write(chunk)) {
        sentBytes += chunk.length
      }
    }
    socket.once('data', fill)
    socket.on('drain', fill)
  })
  const client = await connectTo(tunnel.port)

  client.write('go')
  await once(client, 'readable')

  // What the kernel holds for four sockets of loopback, not more and more.
  const settled = await untilSame(() => sentBytes)
  expect(settled).toBeLessThan(64 * 1024 * 1024)
  client.destroy()
  await server.open(0)
})

test('closes its stream when a client breaks off', async () => {
  const { server, tunnel } = await openTunnelTo()
  const client = await answeredClient(tunnel.port)

  client.resetAndDestroy()

  await server.open(0)
})

test('ends a stream that cannot be told of the end of its client, when the server is silent', async () => {
  await using server = await startTcpServer((socket) => {
    socket.on('data', () => socket.write('.'))
    socket.on('end', () => socket.end())
  })
  const oneWay: Dial = async (signal) => Object.assign(await server.dial(signal), ONE_WAY)
  const { tunnel } = await openTunnel(oneWay, { lingerMs: 20 })
  const client = await answeredClient(tunnel.port)

  client.end()

  await once(client.resume(), 'end')
  await server.open(0)
})

test('delivers what came before a stream broke', async () => {
  const { tunnel } = await openTunnelTo((socket) =>
    socket.once('data', () => socket.write('half of it', () => socket.destroy())),
  )

  expect(await answerTo(await connectTo(tunnel.port), 'x')).toBe('half of it')
})

test('loses nothing of a stream that ended when the client sends before it has read all', async () => {
  // More than the client's kernel takes while nothing is read there.
  const all = Buffer.alloc(1024 * 1024, 'x')
  await using server = await startTcpServer((socket) => socket.once('data', () => socket.end(all)))
  const oneWay: Dial = async (signal) => Object.assign(await server.dial(signal), ONE_WAY)
  const { tunnel } = await openTunnel(oneWay)
  const client = await connectTo(tunnel.port)

  client.write('x')
  await once(client, 'readable')
  await server.open(0)
  await delay(50)
  client.write('ping')
  await delay(50)

  expect(await answerTo(client, '')).toHaveLength(all.length)
})

test('replaces a stream that breaks before it answers, and says the same again', async () => {
  await using broken = await startTcpServer((socket) => socket.once('data', () => socket.destroy()))
  await using server = await startTcpServer()
  const dials = [broken.dial, broken.dial, server.dial]
  const { tunnel } = await openTunnel(inTurn(dials))

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('hello')
})

test('replaces a stream that is silent, and says the same again', async () => {
  await using server = await startTcpServer()
  const mute = silent()
  const dials: Dial[] = [() => Promise.resolve(mute), abortable(never)]
  const { tunnel } = await openTunnel(inTurn(dials, server.dial), { attemptMs: 50 })

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('hello')
  expect(mute.destroyed).toBe(true)
})

test('takes the answer of a slow stream that has got company, and leaves the others', async () => {
  await using server = await startTcpServer()
  const company = silent()
  const slow: Dial = (signal) => delay(120).then(() => server.dial(signal))
  const dials: Dial[] = [slow, () => Promise.resolve(company)]
  const { tunnel } = await openTunnel(inTurn(dials), { attemptMs: 50, patienceMs: 1000 })

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('hello')
  expect(dials).toEqual([])
  expect(company.destroyed).toBe(true)
})

test('opens additional streams for few of many connections that wait at once', async () => {
  const opened: Duplex[] = []
  let most = 0
  const dial: Dial = () => {
    const mute = silent()
    opened.push(mute)
    most = Math.max(most, opened.filter(({ destroyed }) => !destroyed).length)
    return Promise.resolve(mute)
  }
  const { tunnel } = await openTunnel(dial, { attemptMs: 20, patienceMs: 500 })
  const clients = await Promise.all(Array.from({ length: 40 }, () => connectTo(tunnel.port)))

  const answers = await Promise.all(clients.map((client) => answerTo(client, 'hello')))

  expect(new Set(answers)).toEqual(new Set(['ECONNRESET']))
  expect(most).toBeGreaterThan(44)
  expect(most).toBeLessThan(60)
})

test('waits for a server that is being replaced', async () => {
  await using server = await startTcpServer()
  const dials: Dial[] = [refused, refused, server.dial]
  const { tunnel } = await openTunnel(inTurn(dials))

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('hello')
})

test.for([
  ['dialling fails', refused, 'no pod is ready'],
  ['dialling takes forever', never, 'no answer within 60 ms'],
  ['nobody answers', () => Promise.resolve(silent()), 'no answer within 60 ms'],
] as const)('resets a connection when its time is over and %s', async ([, dial, message]) => {
  const { failures, tunnel } = await openTunnel(abortable(dial), { patienceMs: 60 })

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('ECONNRESET')
  expect(failures).toEqual([message])
})

test('resets a connection at once when trying again is no use', async () => {
  const login = new VplaneError('FAILED', 'a login is needed')
  const { failures, tunnel } = await openTunnel(() => Promise.reject(login))

  expect(await answerTo(await connectTo(tunnel.port), 'hello')).toBe('ECONNRESET')
  expect(failures).toEqual(['a login is needed'])
})

test('stops dialling for a client that is gone', async () => {
  const signals: AbortSignal[] = []
  const dial = abortable((signal) => {
    signals.push(signal)
    return never()
  })
  const { failures, tunnel } = await openTunnel(dial)
  const client = await connectTo(tunnel.port)
  client.write('hello')
  await expect.poll(() => signals).toHaveLength(1)

  client.resetAndDestroy()

  await expect.poll(() => signals[0]?.aborted).toBe(true)
  expect(failures).toEqual([])
})

test('keeps open connections when it takes no more', async () => {
  const { tunnel } = await openTunnelTo()
  const client = await answeredClient(tunnel.port)

  tunnel.close()

  expect(await isFree(tunnel.port)).toBe(true)
  expect(await answerTo(client, 'still there')).toBe('still there')
})

test('ends all connections when it is disposed', async () => {
  const { server, tunnel } = await openTunnelTo()
  const clients = await Promise.all([connectTo(tunnel.port), connectTo(tunnel.port)])
  const ends = clients.map((client) => once(client.resume(), 'close'))
  clients[0]?.write('hello')
  await server.open(1)

  await tunnel[Symbol.asyncDispose]()

  clients.forEach((client) => client.end())
  await Promise.all(ends)
  await server.open(0)
})

test('has open streams check that they are alive, where they can', async () => {
  await using server = await startTcpServer()
  const probe = vi.fn<() => void>()
  const probed: Dial = async (signal) => Object.assign(await server.dial(signal), { probe })
  const { tunnel } = await openTunnel(inTurn([server.dial, probed]))
  await answeredClient(tunnel.port)
  await answeredClient(tunnel.port)

  tunnel.probe()

  expect(probe).toHaveBeenCalledOnce()
})

test('tells how many connections it carries', async () => {
  await using server = await startTcpServer()
  const counts: number[] = []
  const onChange = (count: number) => counts.push(count)
  const { tunnel } = await openTunnel(server.dial, { onChange })

  await answerTo(await connectTo(tunnel.port), 'hello')

  await expect.poll(() => counts).toEqual([1, 0])
})

test('listens where nobody but this machine gets at it, unless it is told', async () => {
  const { tunnel } = await openTunnel(refused)

  const other = connect({ port: tunnel.port, host: '127.0.0.2' })
  const [error] = await once(other, 'error')

  expect(error).toMatchObject({ code: 'ECONNREFUSED' })
})

test('says that another program has its port', async () => {
  const { tunnel } = await openTunnel(refused)

  const message = `another program listens on 127.0.0.1:${tunnel.port}`
  const second = listenTunnel({ port: tunnel.port, dial: refused })
  await expect(second).rejects.toMatchObject({ code: 'FAILED', message })
})

test('says where it cannot listen', async () => {
  const listening = listenTunnel({ address: '192.0.2.1', port: 0, dial: refused })

  const message = expect.stringMatching(/^cannot listen on 192\.0\.2\.1:0: /)
  await expect(listening).rejects.toMatchObject({ code: 'FAILED', message })
})

/** A stream like that of a port-forward: its end is not told to the other side. */
const ONE_WAY = { allowHalfOpen: false, _final: (done: () => void) => done() }

/** A dial that does not come to an end. */
function never(): Promise<never> {
  return new Promise<never>(() => {})
}

/** A stream that takes everything and says nothing. */
function silent(): Duplex {
  return Duplex.from({ writable: new PassThrough().resume(), readable: new PassThrough() })
}

/** Real dials end when they are told to. */
function abortable(dial: Dial): Dial {
  return (signal) =>
    Promise.race([dial(signal), once(signal, 'abort').then(() => Promise.reject(signal.reason))])
}

function untilSame(read: () => number): Promise<number> {
  let last = 0
  const unchanged = () => {
    const before = last
    last = read()
    return Promise.resolve(last === before && last > 0 && last)
  }
  return waitFor(unchanged, { what: 'the end of the flow', timeoutMs: 5000, intervalMs: 100 })
}
