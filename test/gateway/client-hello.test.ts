import { describe, expect, test } from 'vitest'
import { ClientHelloReader, MAX_HELLO_BYTES } from '../../src/gateway/client-hello.ts'
import { realHello } from './real-hello.ts'

const RECORD_HEADER = 5

describe('a reader of a ClientHello', () => {
  test('reads the server name of a real client', async () => {
    const hello = await realHello({ servername: 'API.dev.example.com' })

    expect(readClientHello(hello)).toEqual({ serverName: 'api.dev.example.com' })
  })

  test('reads a client that names no server, as those that use an IP address', async () => {
    expect(readClientHello(await realHello({}))).toEqual({})
  })

  test('reads an old client with TLS 1.2', async () => {
    const hello = await realHello({ servername: 'dev', maxVersion: 'TLSv1.2' })

    expect(readClientHello(hello)).toEqual({ serverName: 'dev' })
  })

  test('is incomplete until its last byte, and ignores what follows', async () => {
    const hello = await realHello({ servername: 'dev' })

    const found = Array.from({ length: hello.length }, (_, end) =>
      readClientHello(hello.subarray(0, end)),
    )
    expect(new Set(found)).toEqual(new Set(['incomplete']))
    expect(readInPieces(hello)).toEqual({ serverName: 'dev' })
    expect(readClientHello(Buffer.concat([hello, Buffer.from([1, 2, 3])]))).toEqual({
      serverName: 'dev',
    })
  })

  test('reads it from records of a byte each', async () => {
    const hello = await realHello({ servername: 'dev' })
    const message = hello.subarray(RECORD_HEADER)
    const records = [...message].map((byte) => Buffer.from([22, 3, 1, 0, 1, byte]))

    expect(readClientHello(Buffer.concat(records))).toEqual({ serverName: 'dev' })
    expect(readInPieces(Buffer.concat(records))).toEqual({ serverName: 'dev' })
    expect(readClientHello(Buffer.concat(records.slice(0, -1)))).toBe('incomplete')
  })

  test('reads each byte once, however many pieces it gets', () => {
    const start = Buffer.from([22, 3, 1, 0, 4, 1, 0, 0x3f, 0])
    const record = Buffer.from([22, 3, 1, 0, 1, 0])
    const records = Array.from({ length: MAX_HELLO_BYTES / record.length }, () => record)
    const bytes = Buffer.concat([start, ...records])

    const startedAt = performance.now()
    expect(readInPieces(bytes)).toBe('invalid')

    // It takes 50 ms, and seconds where each piece has all of them read again.
    expect(performance.now() - startedAt).toBeLessThan(1000)
  })

  test.for([
    ['plain HTTP', Buffer.from('GET /healthz HTTP/1.1\r\n\r\n')],
    ['another kind of record', Buffer.from([23, 3, 3, 0, 1, 0])],
    ['another version', Buffer.from([22, 2, 0, 0, 1, 1])],
    ['another message', Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 1])],
    ['an empty record', Buffer.from([22, 3, 1, 0, 0])],
    ['a record that is too long', Buffer.from([22, 3, 1, 0x40, 1])],
    ['a message that is too long', Buffer.from([22, 3, 1, 0, 4, 1, 0, 0x40, 0])],
    ['a message without content', Buffer.from([22, 3, 1, 0, 4, 1, 0, 0, 0])],
  ] as const)('refuses %s', ([, bytes]) => {
    expect(readClientHello(bytes)).toBe('invalid')
  })

  test('refuses what is still incomplete at its limit', () => {
    const record = Buffer.from([22, 3, 1, 0, 1, 1])
    const filler = Array.from({ length: MAX_HELLO_BYTES }, () => Buffer.from([22, 3, 1, 0, 1, 0]))
    const bytes = Buffer.concat([record, Buffer.from([22, 3, 1, 0, 3, 0, 0x3f, 0]), ...filler])

    expect(readClientHello(bytes.subarray(0, MAX_HELLO_BYTES - 1))).toBe('incomplete')
    expect(readClientHello(bytes.subarray(0, MAX_HELLO_BYTES))).toBe('invalid')
  })

  test('refuses or survives each byte that is changed', async () => {
    const hello = await realHello({ servername: 'dev' })
    for (let at = 0; at < hello.length; at += 1) {
      for (const value of [0, 1, 0x7f, 0xff]) {
        const changed = Buffer.from(hello)
        changed[at] = value
        const { serverName = '' } = Object(readClientHello(changed))
        expect(serverName).toMatch(/^[a-z0-9_.-]*$/)
      }
    }
  })

  test.for(['a b', 'dev\n', '-dev', 'dev-', 'ä', 'a'.repeat(254)])(
    'ignores the name %j, which is not one of a host',
    async (name) => {
      const { length } = Buffer.from(name, 'latin1')
      const servername = 'x'.repeat(length)
      const hello = await realHello({ servername })
      // After its type and length: a short name also stands in random bytes.
      const entry = Buffer.concat([
        Buffer.from([0, length >> 8, length & 0xff]),
        Buffer.from(servername),
      ])
      hello.write(name, hello.indexOf(entry) + 3, 'latin1')

      expect(readClientHello(hello)).toEqual({})
    },
  )
})

function readClientHello(bytes: Buffer) {
  return new ClientHelloReader().read(bytes)
}

/** Reads what comes byte by byte. */
function readInPieces(bytes: Buffer) {
  const reader = new ClientHelloReader()
  for (let end = 1; end < bytes.length; end += 1) {
    const found = reader.read(bytes.subarray(0, end))
    if (found !== 'incomplete') {
      return found
    }
  }
  return reader.read(bytes)
}
