import { once } from 'node:events'
import type { Server } from 'node:net'
import { hasErrorCode, messageOf, VplaneError } from '../errors.ts'

export interface ListenOptions {
  address: string
  /** 0 selects any free port. */
  port: number
  /** The purpose, which errors name after the address: `for node "a"`. */
  purpose?: string
}

/**
 * Makes a server listen, and shares its address with no other process.
 *
 * @returns the port
 * @throws {VplaneError} `CONFLICT` when another program listens there, `FAILED` when the address cannot be used.
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
