import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { httpRequest } from '../../shared/network/node-http.ts'
import { systemAuthorities } from '../../shared/network/tls/system-authorities.ts'
import { addressOfProxy, loginFor, type ProxyOptions, type Target } from './proxy-options.ts'
import { urlHost } from '../../shared/network/url-host.ts'

/** A connection to a target through a proxy that speaks HTTP, by its method `CONNECT`. */
export async function connectHttp(
  target: Target,
  { agent, proxy, signal }: ProxyOptions,
): Promise<Socket> {
  const authority = `${urlHost(target.host)}:${target.port}`
  const login = loginFor(proxy)
  const options = {
    ...addressOfProxy(proxy),
    method: 'CONNECT',
    path: authority,
    headers: {
      host: authority,
      ...(login !== undefined && { 'proxy-authorization': basic(login) }),
    },
    signal,
  }
  return new Promise((resolve, reject) => {
    const outgoing =
      proxy.protocol === 'https:'
        ? httpsRequest({ ...options, agent })
        : // A new connection, which then belongs to the target.
          httpRequest({ ...options, agent: false })
    outgoing.on('connect', ({ statusCode, statusMessage }, socket, head) => {
      if (statusCode !== 200 || !(socket instanceof Socket)) {
        socket.destroy()
        reject(new Error(`it answered ${statusCode} ${statusMessage}`.trim()))
        return
      }
      // The first bytes of the target may come with the response of the proxy.
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

/**
 * Makes the connections to an `https:` proxy, whose CAs are parsed once. `trusted` are CAs besides those of the
 * machine, PEM: kubectl trusts a proxy with the cluster's CA alone.
 */
export function createProxyAgent(proxy: URL, trusted: string | undefined): HttpsAgent {
  const { host } = addressOfProxy(proxy)
  return new HttpsAgent({
    secureContext: createSecureContext({ ca: [systemAuthorities(), trusted ?? ''].join('\n') }),
    // The default is the host header, which names the target.
    servername: isIP(host) === 0 ? host : '',
    rejectUnauthorized: true,
  })
}
