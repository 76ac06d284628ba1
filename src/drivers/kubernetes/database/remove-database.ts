import type { Leftover } from '../../../control-plane/driver/driver.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import { notDeleted, withoutRecord } from '../../../control-plane/store/not-deleted.ts'
import { leftDatabase } from '../../../database/database-problems.ts'
import { dropDatabase } from '../../../database/drop-database.ts'
import { databaseOf } from '../../../control-plane/store/store.ts'
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
 * @throws {VplaneError} `UNREACHABLE` without the server, and `FAILED` if it refuses or without the record of the plane, all with
 * what to do.
 */
export async function removeDatabase(
  context: Pick<KubernetesContext, 'databases'> & { host: Host },
  journal: Pick<Journal, 'step'> | undefined,
  { leaveData = false, operation, place, record }: RemoveDatabaseOptions,
): Promise<Leftover[]> {
  if (record !== undefined && databaseOf(record.spec) === undefined) {
    return []
  }
  const { api } = context.host
  const facts = databaseIn(await readKeys(api, place, operation.signal), place)
  if (facts === undefined) {
    return unknownDatabase(record)
  }
  if (leaveData) {
    return [leftDatabase(facts)]
  }
  if (record === undefined) {
    throw notDeleted(place, withoutRecord(`the database "${facts.database}"`), 'database')
  }
  await using server = await openServer(context, { facts, operation, place, record }).catch(
    (error: unknown) => {
      throw notDeleted(place, error, 'database')
    },
  )
  if (journal !== undefined) {
    await stopComponents(api, journal, { place, components: ['kine'], operation })
  }
  operation.ui.step(`Deleting the database "${facts.database}"`)
  return await dropDatabase(server, facts, place)
}

/** What may be left of a plane without the Secret that names its database. */
function unknownDatabase(record: PlaneRecord | undefined): Leftover[] {
  // A deletion that was interrupted has deleted the Secret after the database.
  if (record?.hasKeys !== true || record.journal?.operation === 'remove') {
    return []
  }
  const what = `its database at ${databaseOf(record.spec)?.host}`
  return [{ what, why: 'the Secret that names it is missing', isKept: true }]
}
