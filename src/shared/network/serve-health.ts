import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'

/** A probe and a scrape take one connection each, for a moment. */
const MAX_CONNECTIONS = 100

/** Serves `/livez`, `/readyz` and `/metrics`, in the format of Prometheus, to the kubelet and to monitoring. */
export async function serveHealth({
  isReady,
  metrics,
  port,
}: {
  port: number
  isReady: () => boolean
  /** Gets the query of the request. */
  metrics: (query: URLSearchParams) => string
}): Promise<AsyncDisposable> {
  const server = createServer(({ url }, response) => {
    const [path, query] = url?.split('?') ?? []
    if (path === '/livez') {
      response.end('ok')
    } else if (path === '/readyz') {
      response.writeHead(isReady() ? 200 : 503).end(isReady() ? 'ok' : 'not everything is listed')
    } else if (path === '/metrics') {
      response
        .setHeader('content-type', 'text/plain; version=0.0.4')
        .end(metrics(new URLSearchParams(query)))
    } else {
      response.writeHead(404).end()
    }
  })
  limitConnections(server)
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

/** Anyone in the network may connect. Without room, the oldest connection ends: `maxConnections` would refuse the kubelet. */
function limitConnections(server: Server): void {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    const [oldest] = open
    if (oldest !== undefined && open.size >= MAX_CONNECTIONS) {
      open.delete(oldest)
      oldest.destroy()
    }
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
}
