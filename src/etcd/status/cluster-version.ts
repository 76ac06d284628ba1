import { json } from 'node:stream/consumers'
import type { EtcdConnection } from '../etcd-connection.ts'
import { getFromEtcd } from '../post-to-etcd.ts'
import { fieldAt } from '../../shared/json-fields.ts'

/** How long a member may take to say it, in milliseconds: it does so at once, without a majority too. */
const LOOK_MS = 10_000

/**
 * The version by which a member of etcd works together with the others: `3.6.0`. It becomes that of the next minor when all
 * members are of it, and etcd of the minor before cannot read the data from then on.
 *
 * @returns undefined when the member does not say.
 */
export async function clusterVersion(
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)])
    const answer = await getFromEtcd(connection, { path: '/version', signal: limit })
    const version = String(fieldAt(await json(answer), 'etcdcluster'))
    return /^\d+\.\d+\.\d+/.test(version) ? version : undefined
  } catch {
    // That it does not answer is what is asked.
    signal.throwIfAborted()
    return undefined
  }
}

/** Whether etcd of a version can go on with what works together by a cluster's version. */
export function canRead(version: string, cluster: string): boolean {
  const [major, minor = 0] = version.split('.').map(Number)
  const [clusterMajor, clusterMinor = 0] = cluster.split('.').map(Number)
  return major === clusterMajor && minor >= clusterMinor
}
