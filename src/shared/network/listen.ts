import { once } from 'node:events'
import type { Server } from 'node:net'
import { hasErrorCode, reasonOf, VplaneError } from '../errors.ts'
import type { Hint } from '../hint.ts'

export interface ListenOptions {
  address: string
  /** 0 selects any free port. */
  port: number
  /** The purpose, which errors name after the address: `for node "a"`. */
  purpose?: string
  hints?: readonly Hint[]
}

/**
 * Makes a server listen, and shares its address with no other process.
 *
 * @returns the port
 * @throws {VplaneError} `FAILED` when another program listens there, or the address cannot be used.
 */
export async function listen(
  server: Server,
  { address, hints = [], port, purpose }: ListenOptions,
): Promise<number> {
  try {
    server.listen({ host: address, port, exclusive: true })
    await once(server, 'listening')
  } catch (cause) {
    const place = `${address}:${port}`
    const what = purpose === undefined ? place : `${place} ${purpose}`
    const message = hasErrorCode(cause, 'EADDRINUSE')
      ? `another program listens on ${place}`
      : `cannot listen on ${what}: ${reasonOf(cause)}`
    throw new VplaneError('FAILED', message, { hints, cause })
  }
  const bound = server.address()
  return typeof bound === 'object' && bound !== null ? bound.port : 0
}
