import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { createSecureContext, TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { limitedStream } from '../../../src/compose/operator/limited-stream.ts'
import type { DatabaseKind } from '../../../src/control-plane/store/store.ts'
import { databases } from '../../../src/database/database-server.ts'
import { newPlaneDatabase } from '../../../src/database/dialect/plane-database.ts'
import { createTestCertificates } from '../../support/test-certificates.ts'

const LIMITS = { mostBytes: 256 * 1024, longestMs: 400 }
const { authority, server: certificate } = createTestCertificates()

/** The first packet of a MySQL server that offers TLS. */
const GREETING = packet(
  Buffer.concat([
    Buffer.from('\x0a8.0.0\0', 'latin1'),
    Buffer.alloc(4),
    Buffer.from('12345678\0', 'latin1'),
    Buffer.from([0xff, 0xdf, 0x2d, 0x02, 0x00, 0xff, 0xdf, 21]),
    Buffer.alloc(10),
    Buffer.from('123456789012\0mysql_native_password\0', 'latin1'),
  ]),
)

function packet(payload: Buffer): Buffer {
  const header = Buffer.alloc(4)
  header.writeUIntLE(payload.length, 0, 3)
  return Buffer.concat([header, payload])
}

/** How a server begins before TLS. */
const BEGINNINGS: Record<DatabaseKind, (socket: Socket) => Promise<unknown>> = {
  postgres: async (socket) => {
    await once(socket, 'data')
    socket.write('S')
  },
  mysql: async (socket) => {
    socket.write(GREETING)
    await once(socket, 'data')
  },
}

/** The beginning of a message that has two gigabytes. */
const ENDLESS: Record<DatabaseKind, Buffer> = {
  postgres: Buffer.from([0x52, 0x7f, 0xff, 0xff, 0xff]),
  mysql: Buffer.from([0xff, 0xff, 0xff, 2]),
}

const BEHAVIORS: Record<string, (stream: Duplex, kind: DatabaseKind) => void> = {
  'says nothing': () => {},
  'sends what is no message': (stream) => stream.write('HTTP/1.1 200 OK\r\n\r\n'.repeat(20)),
  'sends without an end': (stream, kind) => {
    stream.write(ENDLESS[kind])
    const more = () => {
      while (!stream.destroyed && stream.write(Buffer.alloc(16 * 1024, 1))) {
        // Until the client reads no more.
      }
    }
    stream.on('drain', more)
    more()
  },
  'ends at once': (stream) => stream.end(),
}

/** A server of this machine that a tenant has written. Returns its port. */
async function hostile(serve: (socket: Socket) => Promise<void>): Promise<number> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    serve(socket).catch(() => {})
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    sockets.forEach((socket) => socket.destroy())
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

/** The stream of a client that has trusted the server. */
async function secured(socket: Socket, kind: DatabaseKind): Promise<Duplex> {
  await BEGINNINGS[kind](socket)
  const { certificate: cert, key } = certificate
  const secureContext = createSecureContext({ cert, key })
  const secure = new TLSSocket(socket, { isServer: true, secureContext })
  secure.on('error', () => {})
  await once(secure, 'secure')
  return secure
}

function ask(kind: DatabaseKind, port: number): Promise<unknown> {
  const facts = newPlaneDatabase('dev', { kind, host: '127.0.0.1', port })
  return databases.open(facts, {
    user: 'owner',
    password: 'hush',
    certificateAuthority: authority.certificate,
    dial: async () => limitedStream(connect({ host: '127.0.0.1', port }), LIMITS),
  })
}

const CASES = (['postgres', 'mysql'] as const).flatMap((kind) =>
  Object.keys(BEHAVIORS).flatMap((what) => [
    { kind, what, isSecure: true },
    { kind, what, isSecure: false },
  ]),
)

test.for(CASES)(
  'gives up a server of $kind that $what (with TLS: $isSecure)',
  { timeout: 20_000 },
  async ({ isSecure, kind, what }) => {
    const behave = BEHAVIORS[what] ?? (() => {})
    const port = await hostile(async (socket) => {
      behave(isSecure ? await secured(socket, kind) : socket, kind)
    })
    const startedAt = performance.now()

    await expect(ask(kind, port)).rejects.toMatchObject({ name: 'VplaneError' })

    expect(performance.now() - startedAt).toBeLessThan(15_000)
  },
)
