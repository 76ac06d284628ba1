import type { EtcdConnection } from '../etcd-connection.ts'
import { memberStatusWithin } from './member-status.ts'

/** How long etcd may take to say it, in milliseconds. */
const LIMIT_MS = 10_000

/** The revision that etcd has come to, or the latest one that is known otherwise when it does not say its own. */
export async function latestRevision(
  connect: () => Promise<EtcdConnection>,
  { known, signal }: { known: number; signal: AbortSignal },
): Promise<number> {
  try {
    const status = await memberStatusWithin(LIMIT_MS, await connect(), signal)
    return Math.max(known, status?.revision ?? 0)
  } catch {
    // It may have been killed in this moment, and what it was asked for is not worth to fail for.
    signal.throwIfAborted()
    return known
  }
}
