import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { VplaneError } from '../../src/shared/errors.ts'
import { waitFor } from '../../src/shared/wait.ts'
import type { Dial } from '../../src/tunnel/connections/dial.ts'
import { listenOnLoopback } from '../support/api/fake-api-server.ts'

/** A TCP server of loopback that stands for the far end of a tunnel. */
export interface TcpServer extends AsyncDisposable {
  port: number
  /** Connects to it, as a driver opens a stream to a pod. */
  dial: Dial
  /** Its connections, in the order in which they came. */
  sockets: Socket[]
  /** Resolves when so many connections are open. */
  open(count: number): Promise<void>
}

/** Starts one that does with each connection what it is told; sending back is the default. */
export async function startTcpServer(
  serve: (socket: Socket) => void = (socket) => socket.pipe(socket),
): Promise<TcpServer> {
  const sockets: Socket[] = []
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    serve(socket)
  })
  const port = await listenOnLoopback(server)
  return {
    port,
    sockets,
    dial: dialTo(port),
    open: async (count) => {
      await waitFor(
        () => Promise.resolve(sockets.filter(({ destroyed }) => !destroyed).length === count),
        { what: `${count} open connections`, timeoutMs: 5000, intervalMs: 5 },
      )
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) {
        socket.destroy()
      }
      await closed
    },
  }
}

/** Dials a port of loopback. */
export function dialTo(port: number): Dial {
  return async (signal) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    await once(socket, 'connect', { signal })
    return socket
  }
}

export const refused: Dial = () => Promise.reject(new VplaneError('UNREACHABLE', 'no pod is ready'))

/** Dials one after the other, then the last one again and again. */
export function inTurn(dials: Dial[], last: Dial = refused): Dial {
  return (signal) => (dials.shift() ?? last)(signal)
}

/** A client of a tunnel. */
export async function connectTo(port: number): Promise<Socket> {
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  await once(client, 'connect')
  return client
}

/** A client that stays, to which a server that sends back has answered. */
export async function answeredClient(port: number): Promise<Socket> {
  const client = await connectTo(port)
  client.write('hello')
  await once(client, 'data')
  return client
}

/** What a client is told until the other side ends, or how its connection broke. */
export async function answerTo(client: Socket, words: string): Promise<string> {
  let text = ''
  client.on('data', (chunk) => {
    text += String(chunk)
  })
  const result = new Promise<string>((resolve) => {
    client.once('end', () => resolve(text))
    client.once('error', (error) => resolve('code' in error ? String(error.code) : error.message))
  })
  client.end(words)
  return result.finally(() => client.destroy())
}
