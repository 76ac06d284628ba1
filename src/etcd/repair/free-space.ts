import { VplaneError } from '../../shared/errors.ts'
import type { Hint } from '../../shared/hint.ts'
import type { Ui } from '../../shared/ui.ts'
import { endAlarm, listAlarms } from '../status/alarms.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { memberStatus } from '../status/member-status.ts'
import { askEtcd } from '../post-to-etcd.ts'

/** A database that uses more of its quota than this will soon be full again. */
const FULL = 0.9

const MEBIBYTE = 1024 ** 2

const RAISE_QUOTA: Hint = {
  purpose: 'or increase its quota',
  action: 'set',
  plane: { name: 'NAME' },
  what: 'etcd.extraArgs.quota-backend-bytes=BYTES',
}

/**
 * Makes a full etcd accept writes again: compacts all earlier revisions, defragments each member, and disarms the alarm. A
 * member does not serve while it is defragmented, so they take turns.
 *
 * @param members the connection to each member, the leader last
 * @throws {VplaneError} `FAILED` when the current data fills the quota, and as `postToEtcd` does.
 */
export async function freeSpace(
  members: readonly EtcdConnection[],
  { signal, ui }: { ui: Pick<Ui, 'step'>; signal: AbortSignal },
): Promise<void> {
  const [first] = members
  if (first === undefined) {
    return
  }
  ui.step('Compacting etcd')
  await compact(first, signal)
  for (const member of members) {
    ui.step(`Defragmenting ${member.what}`)
    await askEtcd(member, { path: '/v3/maintenance/defragment', signal })
  }
  const alarms = await listAlarms(first, signal)
  for (const alarm of alarms.filter(({ kind }) => kind === 'NOSPACE')) {
    await endAlarm(first, alarm, signal)
  }
  for (const member of members) {
    await refuseFull(member, signal)
  }
}

async function compact(connection: EtcdConnection, signal: AbortSignal): Promise<void> {
  const { revision } = await memberStatus(connection, signal)
  // With `physical`, the request returns when the revisions are deleted, not when the members agreed on that.
  const body = { revision: String(revision), physical: true }
  try {
    await askEtcd(connection, { path: '/v3/kv/compaction', body, signal })
  } catch (error) {
    const isDone = error instanceof VplaneError && /has been compacted/.test(error.message)
    if (!isDone) {
      throw error
    }
  }
}

async function refuseFull(connection: EtcdConnection, signal: AbortSignal): Promise<void> {
  const { databaseBytes, quotaBytes = Infinity } = await memberStatus(connection, signal)
  if (databaseBytes > quotaBytes * FULL) {
    throw new VplaneError(
      'FAILED',
      `${connection.what} is still ${fullness(databaseBytes, quotaBytes)}`,
      { hints: ['delete objects of the plane, and run the command again', RAISE_QUOTA] },
    )
  }
}

/** How full a database is, as it reads after "is": `full: 1.9 of 2.0 MiB`. */
export function fullness(databaseBytes: number, quotaBytes: number): string {
  const [used, quota] = [databaseBytes, quotaBytes].map((bytes) => (bytes / MEBIBYTE).toFixed(1))
  return `full: ${used} of ${quota} MiB`
}
