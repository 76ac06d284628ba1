import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { type GatewayOptions, serveGateway } from '../../src/gateway/serve-gateway.ts'
import {
  type GatewayState,
  type WakeRequest,
  wakeRequestsOf,
} from '../../src/manifests/gateway-records.ts'
import type { Selection } from '../../src/kube/client/query.ts'
import type { WatchOptions } from '../../src/kube/client/watch.ts'
import { listen } from '../../src/shared/network/listen.ts'
import { MemoryHostApi, type MemoryHostHooks } from '../support/api/memory-host-api.ts'
import { freePort } from '../support/machine/free-port.ts'

/** A fatal alert with the description internal_error. */
export const ALERT = Buffer.from([21, 3, 3, 0, 2, 2, 80])

const HOST = '127.0.0.1'
const CONFIG_MAPS = '/api/v1/namespaces/team-a/configmaps'

interface Setup extends Pick<GatewayOptions, 'times'> {
  hooks?: MemoryHostHooks
  /** Called before a watch begins. */
  onWatch?: (path: string, fieldSelector: string | undefined) => void
  /** The planes and their states. @default one that is asleep: `dev` */
  planes?: Record<string, GatewayState>
}

/** A gateway with planes that do not run yet, and the host that both talk to. It ends with the test. */
export async function gatewayWorld({
  hooks = {},
  onWatch,
  planes = { dev: 'asleep' },
  times,
}: Setup = {}) {
  const requests: WakeRequest[] = []
  const host = new MemoryHostApi({
    ...hooks,
    onChange: ({ object, path }) => {
      if (path.endsWith('-wakes')) {
        requests.push(...wakeRequestsOf(object).values())
      }
    },
  })
  const records: Record<string, { id: string; port: number; state: GatewayState }> = {}
  const upstreams: Record<string, number> = {}
  for (const [name, state] of Object.entries(planes)) {
    records[name] = { id: `id-of-${name}`, port: await freePort(), state }
    upstreams[name] = await freePort()
  }
  const configMap = (name: string, data: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'team-a' },
    data,
  })
  const tell = () => {
    const data = Object.entries(records).map(([name, one]) => [name, JSON.stringify(one)])
    const object = configMap('vplane-gateway-planes', Object.fromEntries(data))
    host.put(`${CONFIG_MAPS}/vplane-gateway-planes`, object)
  }
  host.put(`${CONFIG_MAPS}/vplane-gateway-wakes`, configMap('vplane-gateway-wakes', {}))
  tell()

  async function* watch(path: string, options: WatchOptions & Selection) {
    onWatch?.(path, options.fieldSelector)
    for await (const event of host.watch(path, options)) {
      yield event
      options.onListed?.()
    }
  }
  const stop = new AbortController()
  const lines: string[] = []
  const healthPort = await freePort()
  const running = serveGateway({
    host: { patch: (path, body, options) => host.patch(path, body, options), watch },
    gateway: { name: 'vplane-gateway', namespace: 'team-a' },
    log: (line) => lines.push(line),
    signal: stop.signal,
    healthPort,
    upstreamOf: (plane) => ({ host: HOST, port: upstreams[plane] ?? 0 }),
    times: { leaveMs: 0, endMs: 0, ...times },
  })
  onTestFinished(async () => {
    stop.abort()
    // What it fails with is for the test.
    await running.catch(() => {})
  })
  const health = async (path: string) => fetch(`http://${HOST}:${healthPort}${path}`)
  const isReady = async () => (await health('/readyz').catch(() => undefined))?.ok === true
  running.catch(() => {})
  const world = {
    requests,
    lines,
    running,
    host,
    isReady,
    stop: () => stop.abort(),
    /** One figure of the gateway. */
    figure: async (name: string) => {
      const text = await (await health('/metrics')).text()
      return Number(new RegExp(`^vplane_gateway_${name} (\\d+)$`, 'm').exec(text)?.[1])
    },
    /** Says that a plane has another state; undefined: that there is no such plane. */
    become: (state: GatewayState | undefined, plane = 'dev') => {
      const record = records[plane]
      if (record !== undefined && state !== undefined) {
        record.state = state
      } else {
        delete records[plane]
      }
      tell()
    },
    portOf: (plane = 'dev') => records[plane]?.port ?? 0,
    upstreamPortOf: (plane = 'dev') => upstreams[plane] ?? 0,
    connect: async (plane = 'dev', localAddress = HOST) =>
      clientOf(world.portOf(plane), { localAddress }),
    /** Starts what answers each ClientHello with `answer`. */
    startPlane: async (plane = 'dev', answer = 'hello') =>
      startPlane(world.upstreamPortOf(plane), answer),
  }
  return world
}

/** A connection that ends with the test. One that is half open does not end when the other side does. */
export async function clientOf(
  port: number,
  {
    allowHalfOpen = false,
    localAddress = HOST,
  }: { allowHalfOpen?: boolean; localAddress?: string } = {},
): Promise<Client> {
  const socket = connect({ host: HOST, port, allowHalfOpen, localAddress })
  onTestFinished(() => void socket.destroy())
  const received: Buffer[] = []
  socket.on('error', () => {})
  socket.on('data', (bytes) => received.push(bytes))
  await once(socket, 'connect')
  return { socket, received: () => Buffer.concat(received) }
}

export interface Client {
  socket: Socket
  received: () => Buffer
}

async function startPlane(port: number, answer: string) {
  const sockets: Socket[] = []
  const received: Buffer[] = []
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket)
    socket.once('data', () => socket.write(answer))
    socket.on('data', (bytes) => received.push(bytes))
    socket.on('error', () => {})
  })
  await listen(server, { address: HOST, port })
  onTestFinished(() => closeAll(server, sockets))
  return { received: () => Buffer.concat(received), sockets }
}

function closeAll(server: Server, sockets: readonly Socket[]): void {
  sockets.forEach((socket) => socket.destroy())
  server.close()
}
