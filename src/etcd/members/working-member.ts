import { messageOf, VplaneError } from '../../shared/errors.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { isWorking, memberStatus } from '../status/member-status.ts'

/** How long a member may take to report its status, in milliseconds; a working one answers at once. */
const STATUS_TIMEOUT_MS = 5000

/**
 * The first connection to a member that has a vote and knows a leader; the data of any other may be old.
 * @throws {VplaneError} `UNREACHABLE` when no member works.
 */
export async function workingMember(
  connections: readonly EtcdConnection[],
  what: string,
  signal: AbortSignal,
): Promise<EtcdConnection> {
  const failures: string[] = []
  for (const connection of connections) {
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(STATUS_TIMEOUT_MS)])
      if (isWorking(await memberStatus(connection, limit))) {
        return connection
      }
      failures.push(`${connection.what} has no leader`)
    } catch (error) {
      signal.throwIfAborted()
      failures.push(messageOf(error))
    }
  }
  const reasons = failures.length === 0 ? 'it has no members' : failures.join('; ')
  throw new VplaneError('UNREACHABLE', `no member of ${what} works: ${reasons}`)
}
