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
import { openRelay } from './open-relay.ts'
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
 * become an empty plane. A plane with another store needs nothing.
 *
 * @throws {VplaneError} `UNREACHABLE` without the server, `FAILED` if it refuses or the data is missing, `CONFLICT` if the
 * database is of another.
 */
export async function prepareDatabase(
  context: Pick<KubernetesContext, 'databases'> & { host: Host },
  record: PlaneRecord,
  { files, operation, place }: PrepareOptions,
): Promise<void> {
  const facts = databaseIn(files, place)
  if (facts === undefined) {
    return
  }
  const databases = databasesOf(context, place)
  const { host } = context
  const { signal, ui } = operation
  const { name, namespace } = place
  ui.step(`${record.hasData ? 'Reading' : 'Creating'} the database "${facts.database}"`)
  const owner = record.hasData
    ? undefined
    : await readOwner(host.api, { ...facts, namespace, signal })
  await using relay = await openRelay(host, { place, record, facts, operation })
  if (owner === undefined) {
    const { password, role: user } = facts
    const certificateAuthority = files[DATABASE_AUTHORITIES]
    const access = { user, password, certificateAuthority, dial: relay.dial }
    if (!(await databases.hasRows(facts, access))) {
      throw missingData(name, facts)
    }
    return
  }
  await using server = await databases.open(facts, { ...owner, dial: relay.dial })
  const warning = openDatabases(name, facts, await server.ensure())
  if (warning !== undefined) {
    ui.warn(warning)
  }
}
