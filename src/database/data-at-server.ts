import type { DatabaseServer, ReplaceableData } from './dialect/database-dialect.ts'

/** Data that is replaced on one connection after the other. */
export interface DataAtServer extends ReplaceableData {
  /** How texts name the former data. */
  describe(former: string): string
}

/** The data of a plane in a database. Each call opens a connection of its own, so that none has to live for long. */
export function dataAtServer(open: () => Promise<DatabaseServer>): DataAtServer {
  const atServer = async <Result>(work: (server: DatabaseServer) => Promise<Result>) => {
    await using server = await open()
    return await work(server)
  }
  return {
    load: (rows) =>
      atServer(async (server) => {
        // The database of a plane that is created from a bundle does not exist yet, and another may be lost.
        await server.ensure()
        await server.data.load(rows)
      }),
    exchange: (former) => atServer(({ data }) => data.exchange(former)),
    putBack: (former) => atServer(({ data }) => data.putBack(former)),
    dropFormer: (former) => atServer(({ data }) => data.dropFormer(former)),
    describe: (former) => `"${former}" in its database`,
  }
}
