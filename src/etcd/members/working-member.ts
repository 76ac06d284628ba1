import { messageOf, VplaneError } from '../../shared/errors.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { isWorking, memberStatus } from '../status/member-status.ts'

/** How long a member may take to say how it is, in milliseconds: those that work do so at once. */
const LOOK_MS = 5000

/**
 * The first of several ways to members of etcd that leads to one that works: it has a vote, and knows who leads. Any other
 * one may be behind.
 *
 * @param what etcd, as the error names it.
 * @throws {VplaneError} `UNREACHABLE` when none of them does.
 */
export async function workingMember(
  ways: readonly EtcdConnection[],
  what: string,
  signal: AbortSignal,
): Promise<EtcdConnection> {
  const failures: string[] = []
  for (const way of ways) {
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)])
      if (isWorking(await memberStatus(way, limit))) {
        return way
      }
      failures.push(`${way.what} knows no leader`)
    } catch (error) {
      signal.throwIfAborted()
      failures.push(messageOf(error))
    }
  }
  const reasons = failures.length === 0 ? 'it has no members' : failures.join('; ')
  throw new VplaneError('UNREACHABLE', `no member of ${what} works: ${reasons}`)
}
