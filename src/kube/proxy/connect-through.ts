import type { Socket } from 'node:net'
import { messageOf } from '../../shared/errors.ts'
import { connectHttp } from './connect-http.ts'
import type { ProxyOptions, Target } from './proxy-options.ts'

/** @throws {Error} that names the proxy, not its password, when it cannot be reached or refuses. */
export async function connectThrough(target: Target, options: ProxyOptions): Promise<Socket> {
  const { proxy, signal } = options
  try {
    const connect = proxy.protocol.startsWith('socks')
      ? (await import('./connect-socks.ts')).connectSocks
      : connectHttp
    return (await connect(target, options)).setNoDelay(true)
  } catch (error) {
    const why = signal.aborted ? 'it did not answer in time' : messageOf(error)
    const message = `the proxy ${proxy.protocol}//${proxy.host} on the way: ${why}`
    throw Object.assign(new Error(message, { cause: error }), signal.aborted && { code: 'SILENT' })
  }
}
