import { createServer } from 'node:net'
import { listenOnLoopback } from '../api/fake-api-server.ts'

/** A port of the loopback address that nobody listened on a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listenOnLoopback(server)
  server.close()
  return port
}
