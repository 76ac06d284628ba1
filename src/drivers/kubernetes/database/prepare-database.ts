import type { Operation } from '../../../control-plane/driver/operation.ts'
import { missingData, openDatabases } from '../../../database/database-problems.ts'
import type { Databases } from '../../../database/dialect/database-dialect.ts'
import { DATABASE_AUTHORITIES } from '../../../manifests/database-files.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { Host, KubernetesContext } from '../context/context.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { PlaneFiles } from '../objects/plane-keys.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { databaseIn } from './database-files.ts'
import { openRelay, toDatabase } from './open-relay.ts'
import { readOwner } from './read-owner.ts'

export interface PrepareOptions {
  place: PlacedName
  files: PlaneFiles
  operation: Operation
}

/** @throws {VplaneError} `UNSUPPORTED` in a process that cannot use servers of databases. */
export function databasesOf(
  { databases }: Pick<KubernetesContext, 'databases'>,
  { name }: PlacedName,
): Databases {
  if (databases === undefined) {
    throw new VplaneError('UNSUPPORTED', `the operator cannot use the database of "${name}"`)
  }
  return databases
}

/**
 * Makes the database of a plane that has no data yet. One that has data must still have them: an empty database does not
 * become an empty plane. A plane with another store needs nothing. Returns the files that the owner has changed since.
 *
 * @throws {VplaneError} `UNREACHABLE` without the server, `FAILED` if it refuses or the data is missing, `CONFLICT` if the
 * database is of another.
 */
export async function prepareDatabase(
  context: Pick<KubernetesContext, 'databases'> & { host: Host },
  record: PlaneRecord,
  { files, operation, place }: PrepareOptions,
): Promise<PlaneFiles> {
  const facts = databaseIn(files, place)
  if (facts === undefined) {
    return {}
  }
  const databases = databasesOf(context, place)
  const { host } = context
  const { signal, ui } = operation
  const { name, namespace } = place
  ui.step(`${record.hasData ? 'Reading' : 'Creating'} the database "${facts.database}"`)
  const former = files[DATABASE_AUTHORITIES] ?? ''
  const owner = await readOwner(host.api, { ...facts, namespace, signal }).catch(
    (error: unknown) => {
      // A plane that has data needs nothing of it.
      if (!record.hasData || signal.aborted) {
        throw error
      }
      return { user: '', password: '', certificateAuthority: former }
    },
  )
  const { certificateAuthority } = owner
  await using relay = await openRelay(host, { place, record, operation, ...toDatabase(facts) })
  const changed =
    certificateAuthority === former ? {} : { [DATABASE_AUTHORITIES]: certificateAuthority }
  if (record.hasData) {
    const { password, role: user } = facts
    const access = { user, password, certificateAuthority, dial: relay.dial }
    if (!(await databases.hasRows(facts, access))) {
      throw missingData(place, facts)
    }
    return changed
  }
  await using server = await databases.open(facts, { ...owner, dial: relay.dial })
  const warning = openDatabases(name, facts, await server.ensure())
  if (warning !== undefined) {
    ui.warn(warning)
  }
  return changed
}
