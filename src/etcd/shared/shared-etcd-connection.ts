import { once } from 'node:events'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { etcdAddress } from '../../control-plane/store/etcd-address.ts'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { type TlsPeers, tlsOver } from '../../shared/network/tls/tls-over.ts'
import { within } from '../../shared/wait.ts'
import type { EtcdConnection } from '../etcd-connection.ts'

/** How long an endpoint may take to accept a connection, in milliseconds. */
const DIAL_MS = 5000

/** How long it may then take to answer, in milliseconds. */
const ANSWER_MS = 10_000

interface Access extends Pick<EtcdConnection, 'certificate' | 'certificateAuthority' | 'key'> {
  /** Connects to an endpoint, which has this place among all. @default from this machine */
  dial?: (index: number, signal: AbortSignal) => Promise<Duplex>
  /** How long an endpoint that accepts a connection may take to answer, in milliseconds. @default 10_000 */
  answerMs?: number
}

/**
 * A connection to the first member of a shared etcd that answers. etcd takes the user from the certificate, but only for gRPC:
 * its gateway has no users.
 * @throws {VplaneError} `UNREACHABLE` when none answers.
 */
export async function sharedEtcdConnection(
  endpoints: readonly string[],
  { answerMs = ANSWER_MS, dial, ...credentials }: Access,
  signal: AbortSignal,
): Promise<EtcdConnection> {
  const failures: string[] = []
  for (const [index, endpoint] of endpoints.entries()) {
    const address = etcdAddress(endpoint)
    const { host: serverName } = address
    const open = (ofCall: AbortSignal) => dial?.(index, ofCall) ?? dialHere(address, ofCall)
    try {
      const peers = { ...credentials, serverName }
      await agree(await open(signal), peers, { answerMs, signal })
      return {
        ...credentials,
        what: `etcd at ${endpoint}`,
        hasGateway: false,
        serverName,
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

/** Only TLS shows that a server answers: one that hangs accepts connections, too. */
async function agree(
  stream: Duplex,
  peers: TlsPeers,
  { answerMs, signal }: { answerMs: number; signal: AbortSignal },
): Promise<void> {
  const socket = tlsOver(stream, peers, ['h2']).on('error', () => {})
  try {
    await within(answerMs, (late) =>
      once(socket, 'secureConnect', { signal: AbortSignal.any([signal, late]) }),
    )
  } finally {
    socket.destroy()
  }
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
