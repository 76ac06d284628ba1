import { createServer, type Server, type Socket } from 'node:net'
import { hasErrorCode, messageOf, VplaneError } from '../../shared/errors.ts'

export interface ListenerOptions {
  address: string
  /** 0 takes any that is free. */
  port: number
  accept: (client: Socket) => void
}

/** A port that is listened on. */
export interface Listener {
  readonly port: number
  /** Nobody listens there any more when it returns; connections go on. */
  close(): void
  unref(): void
}

/**
 * Listens on a port, and hands over each connection as it comes.
 *
 * @throws {VplaneError} `CONFLICT` when another program listens there, `FAILED` when the address cannot be listened on.
 */
export async function openListener({ accept, address, port }: ListenerOptions): Promise<Listener> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, accept)
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host: address, port, exclusive: true }, resolve)
    })
  } catch (error) {
    const place = `${address}:${port}`
    throw hasErrorCode(error, 'EADDRINUSE')
      ? new VplaneError('CONFLICT', `another program listens on ${place}`, { cause: error })
      : new VplaneError('FAILED', `cannot listen on ${place}: ${messageOf(error)}`, {
          cause: error,
        })
  }
  // Such as too many open files: the next connection may work again.
  server.on('error', () => {})
  return {
    port: portOf(server),
    close: () => void (server.listening && server.close()),
    unref: () => void server.unref(),
  }
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
