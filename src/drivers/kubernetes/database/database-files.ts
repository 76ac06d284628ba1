import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { databaseOf } from '../../../control-plane/store/store.ts'
import {
  formatPlaneDatabase,
  kineEndpoint,
  newPlaneDatabase,
  parsePlaneDatabase,
  type PlaneDatabase,
} from '../../../database/dialect/plane-database.ts'
import {
  DATABASE_AUTHORITIES,
  DATABASE_ENDPOINT,
  DATABASE_FILE,
} from '../../../manifests/database-files.ts'
import { objectName } from '../../../manifests/object-names.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlaneFiles } from '../objects/plane-keys.ts'
import { readOwner } from './read-owner.ts'

/**
 * New names and a new password for the database of a plane, which does not exist yet; nothing for another store.
 * @throws {VplaneError} `FAILED` when the owner's Secret is missing or not complete.
 */
export async function newDatabaseFiles(
  api: Pick<HostApi, 'get'>,
  { name, namespace }: PlacedName,
  { signal, spec }: { spec: PlaneSpec; signal: AbortSignal },
): Promise<PlaneFiles> {
  const wanted = databaseOf(spec)
  if (wanted === undefined) {
    return {}
  }
  const { certificateAuthority } = await readOwner(api, { ...wanted, namespace, signal })
  const facts = newPlaneDatabase(name, wanted)
  return {
    [DATABASE_FILE]: formatPlaneDatabase(facts),
    [DATABASE_ENDPOINT]: kineEndpoint(facts),
    [DATABASE_AUTHORITIES]: certificateAuthority,
  }
}

/** The database of a plane with these files; undefined if it has none. */
export function databaseIn(files: PlaneFiles, { name }: PlacedName): PlaneDatabase | undefined {
  const text = files[DATABASE_FILE]
  return text === undefined
    ? undefined
    : parsePlaneDatabase(text, `the Secret "${objectName(name, 'ca')}"`)
}
