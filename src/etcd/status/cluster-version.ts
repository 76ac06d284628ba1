import { json } from 'node:stream/consumers'
import type { EtcdConnection } from '../etcd-connection.ts'
import { getFromEtcd } from '../post-to-etcd.ts'
import { fieldAt } from '../../shared/json-fields.ts'

/** How long a member may take to answer, in milliseconds; it answers at once, even without a majority. */
const ANSWER_TIMEOUT_MS = 10_000

/**
 * The cluster version of etcd: `3.6.0`; undefined when the member does not report it. It changes to the next minor once
 * all members run that minor, and from then on the previous minor cannot read the data.
 */
export async function clusterVersion(
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)])
    const answer = await getFromEtcd(connection, { path: '/version', signal: limit })
    const version = String(fieldAt(await json(answer), 'etcdcluster'))
    return /^\d+\.\d+\.\d+/.test(version) ? version : undefined
  } catch {
    // No answer means that the version is unknown.
    signal.throwIfAborted()
    return undefined
  }
}

/** Whether etcd of a version can read the data of a cluster with a cluster version. */
export function canRead(version: string, cluster: string): boolean {
  const [major, minor = 0] = version.split('.').map(Number)
  const [clusterMajor, clusterMinor = 0] = cluster.split('.').map(Number)
  return major === clusterMajor && minor >= clusterMinor
}
