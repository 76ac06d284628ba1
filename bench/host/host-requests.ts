import { Agent, request } from 'node:https'
import type { StaticAccess } from '../static-kubeconfig.ts'

/** One connection that is kept open, as a controller has it. */
export interface Requests extends Disposable {
  /** Gets a path, reads everything and forgets it; returns how many bytes there were. */
  get: (path: string) => Promise<number>
}

/** Requests by one client, one after the other. The connection is made with the first. */
export function openRequests({
  certificate,
  certificateAuthority,
  key,
  server,
  serverName,
}: StaticAccess): Requests {
  const agent = new Agent({
    ca: certificateAuthority,
    cert: certificate,
    key,
    keepAlive: true,
    maxSockets: 1,
    servername: serverName ?? '',
  })
  return {
    get: (path) =>
      new Promise((resolve, reject) => {
        request(new URL(path, server), { agent }, (response) => {
          let bytes = 0
          response.on('data', (piece: Buffer) => (bytes += piece.length))
          response.on('error', reject)
          response.on('end', () => {
            if (response.statusCode === 200) {
              resolve(bytes)
            } else {
              reject(new Error(`${path}: ${response.statusCode}`))
            }
          })
        })
          .on('error', reject)
          .end()
      }),
    [Symbol.dispose]: () => agent.destroy(),
  }
}
