import type { Socket } from 'node:net'
import { messageOf } from '../../src/shared/errors.ts'
import type { Dial } from '../../src/tunnel/connections/dial.ts'
import { listenTunnel, type ListenOptions } from '../../src/tunnel/connections/listen-tunnel.ts'
import { endsWithTest } from '../support/ends-with-test.ts'
import { startTcpServer } from './tcp-server.ts'

/** A tunnel in this process and its failures; it ends with the test. */
export async function openTunnel(dial: Dial, options: Partial<ListenOptions> = {}) {
  const failures: string[] = []
  const onFailure = (error: unknown) => failures.push(messageOf(error))
  const tunnel = await listenTunnel({ port: 0, dial, onFailure, ...options })
  return { failures, tunnel: endsWithTest(tunnel) }
}

/** One to a server that does with each connection what it is told; sending back is the default. */
export async function openTunnelTo(serve?: (socket: Socket) => void) {
  const server = endsWithTest(await startTcpServer(serve))
  return { server, ...(await openTunnel(server.dial)) }
}
