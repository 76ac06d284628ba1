import type { Agent } from 'node:http'
import type { Duplex } from 'node:stream'
import { callbackify } from 'node:util'
import { HttpAgent } from '../shared/network/node-http.ts'
import { tlsOver } from '../shared/network/tls/tls-over.ts'
import { type EtcdConnection, SERVER_NAME } from './etcd-connection.ts'

/** How long a connection may take to open, in milliseconds. */
const DIAL_MS = 10_000

/** A connection that was unused for longer may be broken: the machine may have slept. */
const IDLE_MS = 30_000

/** Keeps connections to the gateway of an etcd member open, until it is destroyed. */
export function etcdAgent({ dial, ...credentials }: EtcdConnection): Agent {
  const agent = new HttpAgent({ keepAlive: true, timeout: IDLE_MS })
  const open = async (): Promise<Duplex> => {
    const stream = await dial(AbortSignal.timeout(DIAL_MS), 'gateway')
    const socket = tlsOver(stream, { ...credentials, serverName: SERVER_NAME })
    stream.once('error', (error) => socket.destroy(error))
    return socket
  }
  agent.createConnection = (_, done) => {
    callbackify(open)((error, socket) => done?.(error, socket))
    return undefined
  }
  return agent
}
