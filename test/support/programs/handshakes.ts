import { join } from 'node:path'
import { packageRoot } from '../../../src/shared/package-root.ts'

const PROGRAM = join(packageRoot(), 'test/support/programs/tls-client.ts')

/** What a client has done until it ended. */
export interface Handshakes {
  count: number
  errors: string[]
}

/** The words after `node` for a client that shakes hands with a port once, or every 20 ms for some seconds. */
export function tlsClientArgs(port: number, seconds?: number): string[] {
  return [PROGRAM, String(port), ...(seconds === undefined ? [] : [String(seconds)])]
}

/** What a client that has ended printed. */
export async function handshakesOf(ended: Promise<{ stdout: string }>): Promise<Handshakes> {
  return JSON.parse((await ended).stdout)
}
