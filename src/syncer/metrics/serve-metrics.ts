import { once } from 'node:events'
import { createServer } from 'node:https'
import { sendAnswer } from '../kubelet/requests/kubelet-answer.ts'
import { clientNameOf } from '../tls/client-name.ts'
import type { RenewableServer } from '../tls/serve-renewed.ts'
import { type ServerTls, serverTls } from '../tls/server-tls.ts'
import { answerMetrics, type MetricsOptions, refuseMetrics } from './answer-metrics.ts'

export interface MetricsServerOptions extends MetricsOptions {
  /** Where to listen. */
  address: string
  /** 0 for one that is free. */
  port: number
  /** Its authorities are those of the plane's front proxy. */
  tls: ServerTls
  /** The common name of the plane's kube-apiserver when it passes on what somebody asks it. */
  clientName: string
}

const WHAT = 'the metrics API'

/** How long a client may take to shake hands, and to say what it wants, in milliseconds. */
const REQUEST_MS = 10_000

/** Longer than kube-apiserver keeps a connection that it does not use (90 s), so that it is never closed under a request. */
const KEEP_ALIVE_MS = 120_000

/**
 * Serves the API metrics.k8s.io to the plane's kube-apiserver, which passes on what it has authenticated and authorized
 * itself: so nobody else gets in, and whom it names as the user changes nothing.
 *
 * @throws {VplaneError} `FAILED` when the certificates cannot be used.
 */
export async function serveMetrics(
  options: MetricsServerOptions,
): Promise<RenewableServer & { port: number }> {
  const { address, clientName, port, tls } = options
  const server = createServer({
    ...serverTls(tls, WHAT),
    requestCert: true,
    rejectUnauthorized: true,
    handshakeTimeout: REQUEST_MS,
    headersTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  })
  server.on('request', async (request, response) => {
    const client = clientNameOf(request)
    sendAnswer(
      response,
      client === clientName
        ? await answerMetrics(request, options)
        : refuseMetrics(403, 'Forbidden', `"${client}" is not the front proxy`),
    )
  })
  server.listen({ host: address, port })
  await once(server, 'listening')
  const bound = server.address()
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : port,
    setTls: (next) => server.setSecureContext(serverTls(next, WHAT)),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
