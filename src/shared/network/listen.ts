import { once } from 'node:events'
import type { Server } from 'node:net'
import { hasErrorCode, messageOf, VplaneError } from '../errors.ts'

export interface ListenOptions {
  address: string
  /** 0 takes any that is free. */
  port: number
  /** What it is for, as it reads after the place: `for node "a"`. @default nothing is said */
  purpose?: string
}

/**
 * Lets a server listen, where nobody else does.
 *
 * @returns the port
 * @throws {VplaneError} `CONFLICT` when another program listens there, `FAILED` when the address cannot be listened on.
 */
export async function listen(
  server: Server,
  { address, port, purpose }: ListenOptions,
): Promise<number> {
  try {
    server.listen({ host: address, port, exclusive: true })
    await once(server, 'listening')
  } catch (cause) {
    const place = `${address}:${port}`
    if (hasErrorCode(cause, 'EADDRINUSE')) {
      throw new VplaneError('CONFLICT', `another program listens on ${place}`, { cause })
    }
    const what = purpose === undefined ? place : `${place} ${purpose}`
    throw new VplaneError('FAILED', `cannot listen on ${what}: ${messageOf(cause)}`, { cause })
  }
  const bound = server.address()
  return typeof bound === 'object' && bound !== null ? bound.port : 0
}
