import type { EtcdFigures } from '../../control-plane/status/plane-figures.ts'
import { VplaneError } from '../../shared/errors.ts'
import { type Alarm, listAlarms } from './alarms.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { isWorking, memberStatusWithin } from './member-status.ts'

/** How long a member may take to say how it is, in milliseconds: one that works does so at once. */
const LOOK_MS = 3000

/** A member of etcd and the way to it. */
export interface EtcdMember {
  /** Its pod or its process, as people know it. */
  instance: string
  /** undefined while it does not run. */
  connection: EtcdConnection | undefined
}

/**
 * Asks the members of etcd how they are, and one that works for the alarms of all. One that does not answer is a figure,
 * and no failure.
 *
 * @param limitMs how long each may take, in milliseconds. @default 3000
 */
export async function etcdFigures(
  members: readonly EtcdMember[],
  signal: AbortSignal,
  limitMs: number = LOOK_MS,
): Promise<EtcdFigures> {
  const statuses = await Promise.all(
    members.map(async ({ connection }) =>
      connection === undefined ? undefined : memberStatusWithin(limitMs, connection, signal),
    ),
  )
  const speaker = members.find((_, index) => isWorking(statuses[index]))?.connection
  const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
  const alarms = speaker && (await alarmsUnlessSilent(speaker, limit))
  signal.throwIfAborted()
  return {
    members: members.map(({ instance }, index) => {
      const status = statuses[index]
      if (status === undefined) {
        return { instance, isWorking: false, isLeading: false }
      }
      const { databaseBytes, id, inUseBytes, leader, quotaBytes } = status
      return {
        instance,
        isWorking: isWorking(status),
        isLeading: leader === id,
        database: {
          sizeBytes: databaseBytes,
          inUseBytes,
          ...(quotaBytes === undefined ? {} : { quotaBytes }),
        },
        ...(alarms === undefined
          ? {}
          : { alarms: alarms.filter(({ memberId }) => memberId === id).map(({ kind }) => kind) }),
      }
    }),
  }
}

async function alarmsUnlessSilent(
  connection: EtcdConnection,
  signal: AbortSignal,
): Promise<Alarm[] | undefined> {
  try {
    return await listAlarms(connection, signal)
  } catch (error) {
    if (error instanceof VplaneError || signal.aborted) {
      // It worked a moment ago: what it would have said is not known.
      return undefined
    }
    throw error
  }
}
