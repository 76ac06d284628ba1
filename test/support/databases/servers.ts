import type { DatabaseKind } from '../../../src/control-plane/store/store.ts'
import type { TestServer } from './database-server.ts'
import { startMariaDb } from './start-mariadb.ts'
import { startPostgres } from './start-postgres.ts'

/** What starts a real server of each kind. */
export const SERVERS: ReadonlyArray<readonly [DatabaseKind, () => Promise<TestServer>]> = [
  ['mysql', startMariaDb],
  ['postgres', startPostgres],
]
