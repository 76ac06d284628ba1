import type { EtcdFigures } from '../../control-plane/status/plane-figures.ts'
import { VplaneError } from '../../shared/errors.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { type Alarm, ANY_MEMBER, listAlarms } from './alarms.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { isWorking, memberStatusWithin } from './member-status.ts'

/** How long a member may take to report its status, in milliseconds; a working one answers at once. */
const STATUS_TIMEOUT_MS = 3000

export interface EtcdMember {
  /** The name of its pod or its process. */
  instance: string
  /** Undefined while it does not run. */
  connection: EtcdConnection | undefined
}

/**
 * Measures etcd: the status of each member, and the alarms of all from one that works. A member that does not answer is
 * part of the figures, and not an error. @param limitMs for each request. @default 3000
 */
export async function etcdFigures(
  members: readonly EtcdMember[],
  signal: AbortSignal,
  limitMs: number = STATUS_TIMEOUT_MS,
): Promise<EtcdFigures> {
  const statuses = await Promise.all(
    members.map(async ({ connection }) =>
      connection === undefined ? undefined : memberStatusWithin(limitMs, connection, signal),
    ),
  )
  const speaker = members.find((_, index) => isWorking(statuses[index]))?.connection
  const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
  const alarms = speaker && (await alarmsOrUndefined(speaker, limit))
  signal.throwIfAborted()
  return {
    members: members.map(({ instance }, index) => {
      const status = statuses[index]
      if (status === undefined) {
        return { instance, isWorking: false, isLeading: false }
      }
      const { databaseBytes, id, inUseBytes, leader, quotaBytes } = status
      return omitUndefined({
        instance,
        isWorking: isWorking(status),
        isLeading: leader === id,
        database: omitUndefined({ sizeBytes: databaseBytes, inUseBytes, quotaBytes }),
        alarms: alarms?.filter(isAbout(id)).map(({ kind }) => kind),
      })
    }),
  }
}

function isAbout(id: string): (alarm: Alarm) => boolean {
  return ({ memberId }) => memberId === id || memberId === ANY_MEMBER
}

async function alarmsOrUndefined(
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<Alarm[] | undefined> {
  try {
    return await listAlarms(connection, signal)
  } catch (error) {
    if (error instanceof VplaneError || signal.aborted) {
      // The member worked a moment ago, but its alarms are unknown.
      return undefined
    }
    throw error
  }
}
