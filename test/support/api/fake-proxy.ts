import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { listenOnLoopback } from './fake-api-server.ts'
import { createTestCertificates } from '../test-certificates.ts'

/** A proxy on loopback that leads everything to one address, whatever name it is asked for, and remembers. */
export interface FakeProxy extends AsyncDisposable {
  url: URL
  /** What it was asked to connect to, as `host:port`. */
  targets: string[]
  /** The `Proxy-Authorization` headers, or `user:password` of SOCKS. */
  logins: Array<string | undefined>
  /** CA of an `https:` proxy. */
  certificateAuthority: string
  openConnections: () => number
  /** Ends all connections, and takes new ones. */
  breakConnections: () => void
}

export interface FakeProxyOptions {
  kind: 'http' | 'https' | 'socks5'
  /** Address of the real target. @default 127.0.0.1 */
  host?: string
  /** Port of the real target. */
  port: number
  /** Status with which it refuses: of HTTP, or of SOCKS. @default it does not */
  refusal?: number
  /** Takes connections and says nothing. @default false */
  isMute?: boolean
}

const certificates = createTestCertificates()

/** Starts one. The SOCKS proxy wants a login when its URL is given one. */
export async function startFakeProxy(options: FakeProxyOptions): Promise<FakeProxy> {
  const { kind } = options
  const seen = { targets: [] as string[], logins: [] as Array<string | undefined> }
  const server = kind === 'socks5' ? socksServer(options, seen) : httpServer(options, seen)
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  const port = await listenOnLoopback(server)
  return {
    ...seen,
    url: new URL(`${kind}://127.0.0.1:${port}`),
    certificateAuthority: certificates.authority.certificate,
    openConnections: () => sockets.size,
    breakConnections: () => sockets.forEach((socket) => socket.destroy()),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      sockets.forEach((socket) => socket.destroy())
      await closed
    },
  }
}

type Seen = Pick<FakeProxy, 'targets' | 'logins'>

function httpServer(options: FakeProxyOptions, { logins, targets }: Seen): Server {
  const { isMute = false, kind, refusal } = options
  const { certificate: cert, key } = certificates.server
  const server = kind === 'https' ? createHttpsServer({ cert, key }) : createHttpServer()
  server.on('connect', (request: IncomingMessage, client: Duplex) => {
    targets.push(request.url ?? '')
    logins.push(request.headers['proxy-authorization'])
    client.on('error', () => {})
    if (isMute) {
      // Without reading it would never hear that the client is gone.
      client.resume().on('end', () => client.destroy())
      return
    }
    if (refusal !== undefined) {
      client.end(`HTTP/1.1 ${refusal} Refused\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    join(client, options, () => client.write('HTTP/1.1 200 Connected\r\n\r\n'))
  })
  return server
}

function socksServer(options: FakeProxyOptions, { logins, targets }: Seen): Server {
  const { isMute = false, refusal = 0 } = options
  return createServer((client) => {
    const ask = async () => {
      const [, count = 0] = await read(client, 2)
      const methods = await read(client, count)
      const wantsLogin = methods.includes(2)
      if (isMute) {
        return
      }
      client.write(Buffer.from([5, wantsLogin ? 2 : 0]))
      logins.push(wantsLogin ? await readLogin(client) : undefined)
      targets.push(await readTarget(client))
      // Byte by byte, as a slow network would.
      for (const byte of [5, refusal, 0, 3, 4, ...Buffer.from('host'), 0, 80]) {
        client.write(Buffer.from([byte]))
      }
      if (refusal === 0) {
        join(client, options, () => {})
      } else {
        client.end()
      }
    }
    ask().catch(() => client.destroy())
  })
}

async function readLogin(client: Socket): Promise<string> {
  const [, length = 0] = await read(client, 2)
  const user = await read(client, length)
  const password = await read(client, (await read(client, 1))[0] ?? 0)
  client.write(Buffer.from([1, String(password) === 'wrong' ? 1 : 0]))
  return `${user.toString()}:${password.toString()}`
}

async function readTarget(client: Socket): Promise<string> {
  const [, , , kind] = await read(client, 4)
  const host =
    kind === 3
      ? String(await read(client, (await read(client, 1))[0] ?? 0))
      : kind === 1
        ? [...(await read(client, 4))].join('.')
        : (await read(client, 16)).toString('hex').replaceAll(/(.{4})(?=.)/g, '$1:')
  return `${host}:${(await read(client, 2)).readUInt16BE()}`
}

async function read(socket: Socket, length: number): Promise<Buffer> {
  for (;;) {
    const bytes: unknown = length === 0 ? Buffer.alloc(0) : socket.read(length)
    if (bytes instanceof Buffer) {
      return bytes
    }
    await once(socket, 'readable')
  }
}

function join(
  client: Duplex,
  { host = '127.0.0.1', port }: FakeProxyOptions,
  onConnect: () => void,
): void {
  const target = connect({ host, port }, onConnect)
  target.on('error', () => client.destroy())
  target.on('close', () => client.destroy())
  client.on('close', () => target.destroy())
  target.pipe(client)
  client.pipe(target)
}
