import type { Agent as HttpAgent, ClientRequestArgs } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Patience } from '../connection.ts'

export interface ProxiedOptions {
  proxy: URL
  /** More CAs than those of the machine that the certificate of an `https:` proxy may be from, PEM. */
  trusted: string | undefined
  patience: Patience
  /** Ends connections that are still being opened. */
  closed: AbortSignal
}

/**
 * Lets an agent open its connections through a proxy. It still pools, resumes and verifies connections as without a
 * proxy. (Agents of packages leave the socket open when a proxy never answers.)
 */
export function proxied<A extends HttpAgent>(agent: A, options: ProxiedOptions): A {
  const { closed, patience, proxy, trusted } = options
  const createConnection = agent.createConnection.bind(agent)
  let proxyAgent: HttpsAgent | undefined
  const connect = async (request: ClientRequestArgs) => {
    const [{ connectThrough }, { createProxyAgent }] = await Promise.all([
      import('./connect-through.ts'),
      import('./connect-http.ts'),
    ])
    if (proxy.protocol === 'https:') {
      proxyAgent ??= createProxyAgent(proxy, trusted)
    }
    const signal = AbortSignal.any([closed, AbortSignal.timeout(patience.connectMs)])
    const target = { host: request.host ?? '', port: Number(request.port) }
    const socket = await connectThrough(target, { proxy, agent: proxyAgent, signal })
    return agent instanceof HttpsAgent
      ? createConnection(Object.assign({}, request, { socket }))
      : socket
  }
  agent.createConnection = (request, callback) => {
    // Node.js calls back with an error or a stream; its types require both.
    const answer = (...result: unknown[]) =>
      void Reflect.apply(callback ?? (() => {}), agent, result)
    connect(request).then(
      (stream) => answer(null, stream),
      (error: unknown) => answer(error),
    )
    return undefined
  }
  return agent
}
