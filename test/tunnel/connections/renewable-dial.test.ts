import { once } from 'node:events'
import { Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import { RenewableDial } from '../../../src/tunnel/connections/renewable-dial.ts'

const { signal } = new AbortController()

test('opens a source once for all who dial at the same time', async () => {
  const sources = fakeSources()
  const way = new RenewableDial(sources.open)

  await Promise.all([way.dial(signal), way.dial(signal)])

  expect(sources.events).toEqual(['open 1', 'dial 1', 'dial 1'])
})

test('opens a source again when it could not be opened', async () => {
  const sources = fakeSources()
  let isBroken = true
  const way = new RenewableDial(async () => {
    if (isBroken) {
      throw new Error('no such context')
    }
    return sources.open()
  })

  await expect(way.dial(signal)).rejects.toThrow('no such context')
  isBroken = false
  await way.dial(signal)

  expect(sources.events).toEqual(['open 1', 'dial 1'])
})

test('opens another source after a failure, when the one it has is not young', async () => {
  const sources = fakeSources()
  let now = 0
  const way = new RenewableDial(sources.open, () => now)
  await way.dial(signal)

  sources.failure = new Error('refused')
  now = 29_999
  await expect(way.dial(signal)).rejects.toThrow('refused')
  await expect(way.dial(signal)).rejects.toThrow('refused')
  now = 30_000
  await expect(way.dial(signal)).rejects.toThrow('refused')
  sources.failure = undefined
  await way.dial(signal)

  const opened = sources.events.filter((event) => event.startsWith('open'))
  expect(opened).toEqual(['open 1', 'open 2'])
})

test('closes an old source with the last stream over it', async () => {
  const sources = fakeSources()
  const way = new RenewableDial(sources.open)
  const streams = [await way.dial(signal), await way.dial(signal)]
  way.renew()
  await way.dial(signal)
  expect(sources.events).not.toContain('close 1')

  for (const stream of streams) {
    expect(sources.events).not.toContain('close 1')
    stream.destroy()
    await once(stream, 'close')
  }

  expect(sources.events).toContain('close 1')
  expect(sources.events).not.toContain('close 2')
})

test('closes an old source that nobody uses at once, and does not mind how that ends', async () => {
  const sources = fakeSources()
  const way = new RenewableDial(sources.open)
  const stream = await way.dial(signal)
  stream.destroy()
  await once(stream, 'close')

  sources.closing = new Error('already gone')
  way.renew()

  await expect.poll(() => sources.events).toContain('close 1')
})

test('closes all sources when it is disposed', async () => {
  const sources = fakeSources()
  const way = new RenewableDial(sources.open)
  await way.dial(signal)
  way.renew()
  await way.dial(signal)

  await way[Symbol.asyncDispose]()

  const closed = sources.events.filter((event) => event.startsWith('close'))
  expect(closed).toEqual(['close 1', 'close 2'])
})

function fakeSources() {
  let count = 0
  const fake = {
    events: new Array<string>(),
    failure: undefined as Error | undefined,
    closing: undefined as Error | undefined,
    open: async () => {
      count += 1
      const id = count
      fake.events.push(`open ${id}`)
      return {
        dial: async () => {
          fake.events.push(`dial ${id}`)
          if (fake.failure !== undefined) {
            throw fake.failure
          }
          return new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
        },
        [Symbol.asyncDispose]: async () => {
          fake.events.push(`close ${id}`)
          if (fake.closing !== undefined) {
            throw fake.closing
          }
        },
      }
    },
  }
  return fake
}
