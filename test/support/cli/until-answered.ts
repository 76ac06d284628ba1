import { expect } from 'vitest'
import { waitFor } from '../../../src/shared/wait.ts'
import type { CommandResult } from './cli.ts'

/** What a client that was refused may be told by a kube-apiserver that is not ready. */
export const NOT_READY = ['(Forbidden)', '(Unauthorized)', 'not yet ready', 'was refused']

/**
 * Runs a client of a plane that it wakes until it is answered, and returns what it printed.
 *
 * On a busy machine, a start takes longer than a connection is held: a client that was refused after 9 s comes again.
 *
 * @param afterRefusal what it may be told then as well @default nothing
 */
export function untilAnswered(
  client: () => Promise<CommandResult>,
  afterRefusal: readonly string[] = [],
): Promise<string> {
  const expected = ['tls: internal error', 'TLS handshake timeout']
  return waitFor(
    async () => {
      const { code, stderr, stdout } = await client()
      expect(code === 0 || expected.some((one) => stderr.includes(one)), stderr).toBe(true)
      expected.push(...afterRefusal)
      return code === 0 && stdout
    },
    { what: 'an answer', timeoutMs: 90_000 },
  )
}
