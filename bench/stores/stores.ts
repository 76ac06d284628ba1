import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { planeFolder } from '../../src/drivers/local/store/plane-folder.ts'
import { parsePlaneDatabase } from '../../src/database/dialect/plane-database.ts'
import { readTextFile } from '../../src/shared/files/read-text-file.ts'
import { startPostgres } from '../../test/support/databases/start-postgres.ts'
import { spaceOf } from '../scale/stored-planes.ts'
import type { Workspace } from '../workspace.ts'

/** A store that is measured: the spec of a plane with it, and what its data takes on disk. */
export interface MeasuredStore {
  name: string
  /** A file. */
  spec: string
  /** Of the data of a plane, in MiB. */
  space: (plane: string) => Promise<number>
}

/** All stores, and the servers that some of them need, which write durably. */
export async function openStores({
  folder,
  planes,
}: Workspace): Promise<AsyncDisposable & { stores: MeasuredStore[] }> {
  const postgres = await startPostgres({ parent: dirname(folder), isDurable: true })
  const { files, port } = postgres
  const specOf = (name: string, store: object) => {
    const spec = join(folder, `${name}.json`)
    writeFileSync(spec, JSON.stringify({ store }))
    return { name, spec }
  }
  const folderOf = (plane: string) => planeFolder(join(planes, plane))
  const place = { host: '127.0.0.1', port, caFile: files.ca, credentialsFile: files.credentials }
  return {
    stores: [
      {
        ...specOf('etcd', { etcd: {} }),
        space: async (plane) => spaceOf(folderOf(plane).etcdData) / 1024,
      },
      {
        ...specOf('sqlite', { kine: { sqlite: {} } }),
        space: async (plane) => spaceOf(folderOf(plane).sqliteData) / 1024,
      },
      {
        ...specOf('postgres', { kine: { postgres: place } }),
        space: async (plane) => {
          const path = folderOf(plane).database
          const { database } = parsePlaneDatabase(readTextFile(path) ?? '', path)
          const [row] = await postgres.query(
            `SELECT pg_database_size('${database}')::float AS bytes`,
          )
          return bytesIn(row) / 1024 ** 2
        },
      },
    ],
    [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose](),
  }
}

function bytesIn(row: unknown): number {
  return typeof row === 'object' && row !== null && 'bytes' in row ? Number(row.bytes) : Number.NaN
}
