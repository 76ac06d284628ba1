import type { Leftover } from '../../../control-plane/driver/driver.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import { notDeleted } from '../../../control-plane/store/not-deleted.ts'
import { leftDatabase } from '../../../database/database-problems.ts'
import { databaseOf } from '../../../control-plane/store/store.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { Host, KubernetesContext } from '../context/context.ts'
import type { PlacedName } from '../context/object-names.ts'
import { readKeys } from '../objects/plane-keys.ts'
import type { Journal } from '../record/journal.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { stopComponents } from '../workloads/stop-components.ts'
import { databaseIn } from './database-files.ts'
import { openServer } from './open-server.ts'

export interface RemoveDatabaseOptions {
  place: PlacedName
  record: PlaneRecord | undefined
  /** @default it is deleted */
  leaveData?: boolean | undefined
  operation: Operation
}

/**
 * Deletes the database and the role of a plane, before anything else is deleted, and returns those that it leaves. Before it
 * stops anything, it connects to the server.
 *
 * @throws {VplaneError} `UNREACHABLE` without the server, and `FAILED` if it refuses, both with what to do.
 */
export async function removeDatabase(
  context: Pick<KubernetesContext, 'databases'> & { host: Host },
  journal: Pick<Journal, 'step'> | undefined,
  { leaveData = false, operation, place, record }: RemoveDatabaseOptions,
): Promise<Leftover[]> {
  if (record === undefined || databaseOf(record.spec) === undefined) {
    return []
  }
  const { api } = context.host
  const facts = databaseIn(await readKeys(api, place, operation.signal), place)
  if (facts === undefined) {
    return []
  }
  if (leaveData) {
    return [leftDatabase(facts)]
  }
  await using server = await openServer(context, { facts, operation, place, record }).catch(
    (error: unknown) => {
      throw error instanceof VplaneError ? notDeleted(place, error, 'database') : error
    },
  )
  if (journal !== undefined) {
    await stopComponents(api, journal, { place, components: ['kine'], operation })
  }
  operation.ui.step(`Deleting the database "${facts.database}"`)
  await server.drop()
  return []
}
