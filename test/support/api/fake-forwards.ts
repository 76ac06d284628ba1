import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import type { Patience } from '../../../src/kube/connection.ts'
import { PATIENCE } from '../../../src/kube/connection.ts'
import { openForward } from '../../../src/kube/forward/open-forward.ts'
import { createPeer } from '../../../src/kube/http/peer.ts'
import type { Answerer, FakeApiServer } from './fake-api-server.ts'
import { startFakeApiServer } from './fake-api-server.ts'

/** One forwarded port, as a kubelet sees it. */
export interface FakeForward {
  websocket: WebSocket
  /** Path and query of the request. */
  url: string
  headers: IncomingMessage['headers']
  /** What the client has sent, headers of channels left out. */
  received: () => string
  /** Sends on the data channel; resolves when the network has taken it. */
  say: (data: string | Buffer) => Promise<void>
  /** Sends on the error channel. */
  complain: (text: string) => void
}

export interface FakeForwards extends FakeApiServer {
  forwards: FakeForward[]
}

export interface FakeForwardsOptions {
  /** What happens on each forward; by default it answers in capitals. */
  onForward?: (forward: FakeForward) => void
  /** Answers no pings. @default false */
  isMute?: boolean
  /** Answers requests that are no websockets. @default nothing */
  answer?: Answerer
  /** Does something instead of opening the websocket when it returns true. */
  refuse?: (request: IncomingMessage, socket: Duplex) => boolean
}

/** An API server that forwards to a pod in this process. */
export async function startForwards(options: FakeForwardsOptions = {}): Promise<FakeForwards> {
  const { answer = () => {}, isMute = false, onForward = shout, refuse = () => false } = options
  const forwards: FakeForward[] = []
  const websockets = new WebSocketServer({
    noServer: true,
    autoPong: !isMute,
    perMessageDeflate: false,
    handleProtocols: (protocols) => protocols.has('v4.channel.k8s.io') && 'v4.channel.k8s.io',
  })
  const server = await startFakeApiServer(answer, {
    onUpgrade: (request, socket, head) => {
      socket.on('error', () => {})
      if (!refuse(request, socket)) {
        websockets.handleUpgrade(request, socket, head, (websocket) => {
          const forward = toForward(websocket, request)
          forwards.push(forward)
          onForward(forward)
        })
      }
    },
  })
  return { ...server, forwards }
}

/** A stream to a port of a pod behind a server, and its end with the test. */
export async function forwardTo(
  { connection }: FakeApiServer,
  { patience = {}, ...extra }: { patience?: Partial<Patience>; token?: string } = {},
) {
  const peer = createPeer({ ...connection, ...extra }, { ...PATIENCE, ...patience })
  const target = { namespace: 'team', pod: 'api-1', port: 6443 }
  try {
    const stream = await openForward(peer, target, { signal: AbortSignal.timeout(8000) })
    return Object.assign(stream, {
      [Symbol.asyncDispose]: async () => {
        stream.destroy()
        await peer[Symbol.asyncDispose]()
      },
    })
  } catch (error) {
    await peer[Symbol.asyncDispose]()
    throw error
  }
}

/** Refuses a websocket as the API server would. */
export function refuseWith(socket: Duplex, code: number, message: string): true {
  const body = JSON.stringify({ kind: 'Status', status: 'Failure', code, message })
  const head = `HTTP/1.1 ${code} No\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  socket.end(`${head}\r\nconnection: close\r\n\r\n${body}`)
  return true
}

/** Answers in capitals. */
export function shout({ say, websocket }: FakeForward): void {
  websocket.on('message', (data: Buffer) => {
    if (data[0] === 0) {
      void say(data.toString('utf8', 1).toUpperCase())
    }
  })
}

function toForward(websocket: WebSocket, request: IncomingMessage): FakeForward {
  const url = request.url ?? ''
  const port = Number(new URL(url, 'https://fake').searchParams.get('ports'))
  const received: Buffer[] = []
  for (const channel of [0, 1]) {
    websocket.send(Buffer.from([channel, port & 0xff, port >> 8]))
  }
  websocket.on('message', (data: Buffer) => received.push(data.subarray(1)))
  websocket.on('error', () => {})
  return {
    websocket,
    url,
    headers: request.headers,
    received: () => Buffer.concat(received).toString('utf8'),
    say: (data) =>
      new Promise((resolve) =>
        websocket.send(Buffer.concat([Buffer.from([0]), Buffer.from(data)]), () => resolve()),
      ),
    complain: (text) => websocket.send(Buffer.concat([Buffer.from([1]), Buffer.from(text)])),
  }
}
