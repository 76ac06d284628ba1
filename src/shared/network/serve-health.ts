import { once } from 'node:events'
import { createServer } from 'node:http'

export interface HealthOptions {
  port: number
  /** Whether everything was listed and is being worked on. */
  isReady: () => boolean
  /** Metrics as Prometheus reads them. */
  metrics: () => string
}

/** Serves `/livez`, `/readyz` and `/metrics` to the kubelet and to monitoring. */
export async function serveHealth(options: HealthOptions): Promise<AsyncDisposable> {
  const { isReady, metrics, port } = options
  const server = createServer(({ url }, response) => {
    const path = url?.split('?')[0]
    if (path === '/livez') {
      response.end('ok')
    } else if (path === '/readyz') {
      response.writeHead(isReady() ? 200 : 503).end(isReady() ? 'ok' : 'not everything is listed')
    } else if (path === '/metrics') {
      response.setHeader('content-type', 'text/plain; version=0.0.4').end(metrics())
    } else {
      response.writeHead(404).end()
    }
  })
  server.listen(port)
  await once(server, 'listening')
  return {
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
