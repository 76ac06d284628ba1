import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { SocksClient } from 'socks'
import { addressOfProxy, loginFor, type ProxyOptions, type Target } from './proxy-options.ts'

/** A connection to a target through a SOCKS 5 proxy, which resolves names itself. */
export async function connectSocks(
  destination: Target,
  { proxy, signal }: ProxyOptions,
): Promise<Socket> {
  const address = addressOfProxy(proxy)
  const login = loginFor(proxy)
  const socket = connect(address)
  const stop = () => socket.destroy(new Error('it took too long'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    await once(socket, 'connect')
    await SocksClient.createConnection({
      command: 'connect',
      destination,
      proxy: {
        ...address,
        type: 5,
        ...(login && { userId: login.user, password: login.password }),
      },
      existing_socket: socket,
    })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    // The time limit applies only to the attempt.
    signal.removeEventListener('abort', stop)
  }
}
