import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parsePlaneDatabase } from '../../src/database/dialect/plane-database.ts'
import { planeFolder, type PlaneFolder } from '../../src/drivers/local/store/plane-folder.ts'
import { fieldAt } from '../../src/shared/json-fields.ts'
import { readTextFile } from '../../src/shared/files/read-text-file.ts'
import {
  openStore,
  type StoreName,
  type TestStore,
} from '../../test/support/databases/open-store.ts'
import { spaceOf } from '../scale/stored-planes.ts'
import type { Workspace } from '../workspace.ts'

/** A store that is measured: the spec of a plane with it, and what its data takes on disk. */
export interface MeasuredStore {
  name: StoreName
  /** The name of the plane. */
  plane: string
  /** A file. */
  spec: string
  /** In MiB; of the whole server if it is a shared etcd. */
  space: () => Promise<number>
}

const NAMES = ['etcd', 'sqlite', 'postgres', 'mysql', 'shared etcd'] as const

/** All stores, and the servers that some of them need, which write durably. */
export async function openStores(
  workspace: Workspace,
): Promise<AsyncDisposable & { stores: MeasuredStore[] }> {
  const { folder, planes } = workspace
  await workspace.addKine()
  await using stack = new AsyncDisposableStack()
  const stores: MeasuredStore[] = []
  for (const name of NAMES) {
    const store = stack.use(await openStore(name, { parent: dirname(folder), isDurable: true }))
    const plane = name.replace(' ', '-')
    const spec = join(folder, `${plane}.json`)
    writeFileSync(spec, JSON.stringify({ store: store.spec }))
    const space = () => spaceIn(store, planeFolder(join(planes, plane)))
    stores.push({ name, plane, spec, space })
  }
  const owned = stack.move()
  return { stores, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

async function spaceIn(
  { database: server, folder }: TestStore,
  plane: PlaneFolder,
): Promise<number> {
  if (server === undefined) {
    return spaceOf(folder ?? plane.etcdData) / 1024 + spaceOf(plane.sqliteData) / 1024
  }
  const { database } = parsePlaneDatabase(readTextFile(plane.database) ?? '', plane.database)
  const [row] = await server.query(
    server.kind === 'postgres'
      ? `SELECT pg_database_size('${database}')::float AS bytes`
      : `SELECT SUM(file_size) AS bytes FROM information_schema.innodb_sys_tablespaces WHERE name LIKE '${inTablespaces(database)}/%'`,
  )
  return Number(fieldAt(row, 'bytes')) / 1024 ** 2
}

/** InnoDB escapes what may be no part of the name of a file. */
function inTablespaces(database: string): string {
  return database.replaceAll('-', '@002d')
}
