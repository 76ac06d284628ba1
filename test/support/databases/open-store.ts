import { join } from 'node:path'
import type { StoreSpec } from '../../../src/control-plane/store/store.ts'
import type { ServerOptions, TestServer } from './database-server.ts'
import { startEtcd } from './start-etcd.ts'
import { startMariaDb } from './start-mariadb.ts'
import { startPostgres } from './start-postgres.ts'

/** Every store that a plane of this machine can have. */
export type StoreName = 'etcd' | 'mysql' | 'postgres' | 'shared etcd' | 'sqlite'

/** A store for planes, with its server if it needs one. */
export interface TestStore extends AsyncDisposable {
  /** The field of the spec. */
  spec: StoreSpec | { etcd: Record<string, never> }
  /** What other planes use too. */
  server?: Pick<TestServer, 'names' | 'start' | 'stop'>
  /** Where it is on this machine, if it is a shared etcd. */
  folder?: string
  /** If it is a database. */
  database?: TestServer
}

/** Starts the server of a store, if it needs one. */
export async function openStore(
  name: StoreName,
  options: Pick<ServerOptions, 'isDurable' | 'parent'>,
): Promise<TestStore> {
  if (name === 'etcd' || name === 'sqlite') {
    const spec = name === 'etcd' ? { etcd: {} } : { kine: { sqlite: {} } }
    return { spec, [Symbol.asyncDispose]: async () => {} }
  }
  if (name === 'shared etcd') {
    const server = await startEtcd(options)
    const { spec: shared } = server
    return {
      spec: { etcd: { shared } },
      folder: join(server.folder, 'data'),
      server,
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  }
  const server = await (name === 'postgres' ? startPostgres : startMariaDb)(options)
  const { files, port } = server
  const place = { host: '127.0.0.1', port, caFile: files.ca, credentialsFile: files.credentials }
  return {
    spec: { kine: { [name]: place } },
    server,
    database: server,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
