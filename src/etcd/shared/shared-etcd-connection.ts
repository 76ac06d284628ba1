import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { etcdAddress } from '../../control-plane/store/etcd-address.ts'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import type { EtcdConnection } from '../etcd-connection.ts'

/** How long an endpoint may take to accept a connection, in milliseconds. */
const DIAL_MS = 5000

interface Access extends Pick<EtcdConnection, 'certificate' | 'certificateAuthority' | 'key'> {
  /** Connects to an endpoint, which has this place among all. @default from this machine */
  dial?: (index: number, signal: AbortSignal) => Promise<Duplex>
}

/**
 * A connection to the first member of a shared etcd that accepts one. etcd takes the user from the certificate, but only for
 * gRPC: its gateway has no users.
 * @throws {VplaneError} `UNREACHABLE` when none accepts one.
 */
export async function sharedEtcdConnection(
  endpoints: readonly string[],
  { dial, ...credentials }: Access,
  signal: AbortSignal,
): Promise<EtcdConnection> {
  const failures: string[] = []
  for (const [index, endpoint] of endpoints.entries()) {
    const address = etcdAddress(endpoint)
    const open = (ofCall: AbortSignal) => dial?.(index, ofCall) ?? dialHere(address, ofCall)
    try {
      ;(await open(signal)).destroy()
      return {
        ...credentials,
        what: `etcd at ${endpoint}`,
        hasGateway: false,
        serverName: address.host,
        dial: open,
      }
    } catch (error) {
      signal.throwIfAborted()
      failures.push(`${endpoint}: ${messageOf(error)}`)
    }
  }
  throw new VplaneError('UNREACHABLE', `cannot reach the shared etcd: ${failures.join(', ')}`, {
    hints: ['check "endpoints" and the network, or start the etcd'],
  })
}

function dialHere(place: { host: string; port: number }, signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(DIAL_MS)])
    const socket = connect(place)
    const give = () => socket.destroy(new Error('it does not answer'))
    const settle = () => limit.removeEventListener('abort', give)
    limit.addEventListener('abort', give)
    socket.once('error', (error) => {
      settle()
      reject(error)
    })
    socket.once('connect', () => {
      settle()
      resolve(socket)
    })
  })
}
