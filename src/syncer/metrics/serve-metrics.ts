import { sendAnswer } from '../kubelet/requests/kubelet-answer.ts'
import { clientNameOf, serveTls, type TlsServer, type TlsServerOptions } from '../tls/serve-tls.ts'
import { answerMetrics, type MetricsOptions, refuseMetrics } from './answer-metrics.ts'

export interface MetricsServerOptions extends MetricsOptions, TlsServerOptions {
  /** The common name of the plane's kube-apiserver when it passes on what somebody asks it. */
  clientName: string
}

/**
 * Serves the API metrics.k8s.io to the plane's kube-apiserver, which passes on what it has authenticated and authorized
 * itself: so nobody else gets in, and whom it names as the user changes nothing.
 *
 * @throws {VplaneError} as `serveTls` does.
 */
export function serveMetrics(options: MetricsServerOptions): Promise<TlsServer> {
  const server = { ...options, what: 'the metrics API' }
  return serveTls(server, { rejectUnauthorized: true }, (https) => {
    https.on('request', async (request, response) => {
      const client = clientNameOf(request)
      const isFrontProxy = client === options.clientName
      const answer = isFrontProxy
        ? await answerMetrics(request, options)
        : refuseMetrics(403, 'Forbidden', `"${client}" is not the front proxy`)
      sendAnswer(response, answer)
    })
  })
}
