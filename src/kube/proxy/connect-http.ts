import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIPv6, Socket } from 'node:net'
import { getCACertificates } from 'node:tls'
import { addressOfProxy, loginFor, type ProxyOptions, type Target } from './proxy-options.ts'

/** A connection to a target through a proxy that speaks HTTP, by its method `CONNECT`. */
export async function connectHttp(
  target: Target,
  { proxy, signal, trusted }: ProxyOptions,
): Promise<Socket> {
  const host = isIPv6(target.host) ? `[${target.host}]` : target.host
  const authority = `${host}:${target.port}`
  const login = loginFor(proxy)
  const options = {
    method: 'CONNECT',
    ...addressOfProxy(proxy),
    path: authority,
    headers: {
      host: authority,
      ...(login !== undefined && { 'proxy-authorization': basic(login) }),
    },
    // A connection of its own, which is the target's from then on.
    agent: false as const,
    signal,
  }
  return new Promise((resolve, reject) => {
    const outgoing =
      proxy.protocol === 'https:'
        ? httpsRequest({ ...options, rejectUnauthorized: true, ca: trustedBy(trusted) })
        : httpRequest(options)
    outgoing.on('connect', ({ statusCode, statusMessage }, socket, head) => {
      if (statusCode !== 200 || !(socket instanceof Socket)) {
        socket.destroy()
        reject(new Error(`it answered ${statusCode} ${statusMessage}`.trim()))
        return
      }
      // What the target said at once came with the answer of the proxy.
      socket.unshift(head)
      resolve(socket)
    })
    outgoing.on('response', (response) => {
      response.destroy()
      reject(new Error(`it answered ${response.statusCode} ${response.statusMessage}`.trim()))
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

function basic({ password, user }: { user: string; password: string }): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

/** kubectl trusts a proxy with the cluster's CA alone; most proxies have a certificate of another one. */
function trustedBy(trusted: string | undefined): string[] {
  const own = [...getCACertificates('default'), ...getCACertificates('system')]
  return [...new Set(trusted === undefined ? own : [...own, trusted])]
}
